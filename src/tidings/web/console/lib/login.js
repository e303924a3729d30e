// The login form: it opens over the page when a request is refused, and what was typed there stays.
import { useCell } from "./cell.js";
import { Dialog } from "./dialog.js";
import { cancelLogin, login, logInWithPassword, logInWithToken } from "./service.js";
import { html, useState } from "./ui.js";

export function Login() {
  const asked = useCell(login);
  return asked && html`<${Form} why=${asked.why} onClose=${asked.mayCancel ? cancelLogin : undefined} />`;
}

function Form({ why, onClose }) {
  const [told, tell] = useState(why);
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const { name, password, token } = Object.fromEntries(new FormData(event.target));
    if (token) return logInWithToken(token.trim());
    setBusy(true);
    try {
      await logInWithPassword(name, password);
    } catch (error) {
      setBusy(false);
      tell(error.status === 404 ? "This service knows no passwords: paste a token." : error.message);
    }
  };
  return html`<${Dialog} title="Log in" onClose=${onClose}>
    <form onSubmit=${submit}>
      ${told && html`<p class="problem" role="alert">${told}</p>`}
      <label>Name <input name="name" autocomplete="username" autofocus /></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" /></label>
      <p class="or"><span>or</span></p>
      <label>Token <input name="token" type="password" autocomplete="off" />
        <small>It stays in the memory of this tab only.</small></label>
      <footer>
        ${onClose && html`<button type="button" onClick=${onClose}>Cancel</button>`}
        <button class="primary" disabled=${busy}>Log in</button>
      </footer>
    </form>
  <//>`;
}
