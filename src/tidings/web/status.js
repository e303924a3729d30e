// Looks again every few seconds while somebody can see the page, and says so when nobody answers.
// What has not changed is left alone, with what the reader has marked in it.
const part = (where, name) => where.querySelector(name);
async function look() {
  if (!document.hidden) {
    let away = false;
    try {
      const answer = await fetch("/", {cache: "no-store"});
      if (answer.redirected) location.assign(answer.url);
      if (!answer.ok) throw answer.status;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const name of ["main", "footer"])
        if (part(document, name).innerHTML !== part(fresh, name).innerHTML)
          part(document, name).replaceWith(part(fresh, name));
    } catch { away = true; }
    document.body.classList.toggle("away", away);
  }
  setTimeout(look, 3000);
}
setTimeout(look, 3000);
