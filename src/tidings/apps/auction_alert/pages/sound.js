// A short tone for an alert; off until somebody switches it on.
import { kept } from "./kept.js";

const SECONDS = 0.15, HERTZ = 880, LOUD = 0.15;

export const sound = kept("sound", false);

let context = null;

export function beep() {
  if (!sound.value) return;
  context ??= new AudioContext();
  const tone = context.createOscillator(), volume = context.createGain();
  const now = context.currentTime;
  tone.frequency.value = HERTZ;
  volume.gain.setValueAtTime(LOUD, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + SECONDS);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + SECONDS);
}

export function switchSound(on) {
  sound.set(on);
  beep();
}
