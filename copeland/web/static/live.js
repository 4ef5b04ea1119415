// Admin pages work without this; with it, the dashboard follows the votes and links can be copied.
(() => {
  "use strict";
  document.documentElement.classList.add("scripts");

  // Without https, as in an office, browsers have no clipboard; then a field that is selected does it.
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { /* the old way */ }
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const before = button.textContent;
    button.textContent = await copy(button.dataset.copy) ? "Copied" : "Select and copy it by hand";
    setTimeout(() => { button.textContent = before; }, 1600);
  });

  // What a button asks comes into this page, so that files chosen in its form stay chosen.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-into]");
    if (!button) return;
    event.preventDefault();
    const place = document.getElementById(button.dataset.into);
    button.disabled = true;
    place.textContent = "One moment …";
    try {
      const body = new FormData(button.form), headers = { "X-Fragment": button.dataset.into };
      const answer = await fetch(button.formAction, { method: "POST", body, headers });
      if (answer.redirected) location.reload();
      place.innerHTML = await answer.text();
      place.scrollIntoView({ block: "nearest" });
    } catch { place.textContent = "The server did not answer. Try again."; }
    button.disabled = false;
  });

  const summary = document.getElementById("summary"), figures = document.getElementById("figures");
  if (!summary) return;
  const address = summary.dataset.live;
  const OFTEN = 1200, HASTE = 3000, SELDOM = 30000; // ms

  // Loads a part anew when it is out of date, at most every so often, and sooner if it contradicts the rest.
  function follower(element, path, every, then) {
    let wanted = false, busy = false, last = Date.now();
    async function load(now) {
      const wait = last + (now ? Math.min(every, HASTE) : every) - Date.now();
      if (busy || !wanted) return;
      if (wait > 0) { setTimeout(load, wait, now); return; }
      busy = true;
      wanted = false;
      last = Date.now();
      try {
        const answer = await fetch(address + path);
        if (answer.redirected) location.reload();
        else if (answer.ok) { replace(element, await answer.text()); then(); }
      } catch { /* the stream says when it is back */ }
      busy = false;
      if (wanted) load();
    }
    return (now) => { wanted = true; load(now === true); };
  }

  // The page is of one moment: figures that tell another story than the words are not shown until they are redrawn.
  function agree() {
    const [said, drawn] = [summary, figures].map((part) => part.querySelector("[data-story]")?.dataset.story);
    const stale = said !== drawn;
    document.getElementById("content").classList.toggle("stale", stale);
    if (stale) later(true);
  }

  function replace(element, html) {
    const open = [...element.querySelectorAll("details")].map((one) => one.open);
    const focused = [...element.querySelectorAll("[tabindex], summary, a")].indexOf(document.activeElement);
    element.innerHTML = html;
    element.querySelectorAll("details").forEach((one, i) => { one.open = open[i] || false; });
    if (focused >= 0) element.querySelectorAll("[tabindex], summary, a")[focused]?.focus({ preventScroll: true });
  }

  const soon = follower(summary, "/summary", OFTEN, agree), later = follower(figures, "/figures", SELDOM, agree);
  let seen = summary.dataset.number;
  const stream = new EventSource(`${address}/live`);
  stream.addEventListener("changed", (event) => {
    if (event.data === seen) return;
    seen = event.data;
    soon();
    later();
  });
})();
