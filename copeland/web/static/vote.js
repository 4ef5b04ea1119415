// The voting page works without this; with it, answers go by keyboard and without loading a page.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const main = $("pair"), live = $("live"), trouble = $("trouble"), help = $("help"), large = $("large");
  const PAUSE = 3000; // ms until an answer that did not arrive is sent again
  const CALM = 300; // ms for which a new pair takes no answer: a second click was meant for the one before
  let ready = false; // whether both sides are there to be seen
  let busy = false; // whether an answer is on its way
  let shown = -CALM; // when this pair came in place of another

  document.documentElement.classList.add("scripts");

  // What was chosen about keys is remembered on this device, where that is allowed.
  const letters = $("letters");
  try { letters.checked = localStorage.getItem("letters") !== "off"; } catch { /* then for this page only */ }
  letters.addEventListener("change", () => {
    try { localStorage.setItem("letters", letters.checked ? "on" : "off"); } catch { /* as above */ }
  });

  // The box ticks itself once both recordings were played to their ends, and only so.
  function watchRecordings() {
    const box = main.querySelector("[name=played]"), recordings = [...main.querySelectorAll("audio, video")];
    if (!box) return;
    const played = new Set();
    box.setCustomValidity("Play both to the end first.");
    box.addEventListener("click", (event) => event.preventDefault());
    recordings.forEach((one) => {
      one.addEventListener("play", () => recordings.forEach((other) => { if (other !== one) other.pause(); }));
      one.addEventListener("ended", () => {
        played.add(one);
        box.checked = played.size === recordings.length;
        if (box.checked) { box.setCustomValidity(""); live.textContent = "Both were played. You can answer now."; }
      });
    });
  }

  async function prepare() {
    ready = false;
    watchRecordings();
    const images = [...main.querySelectorAll("img")];
    await Promise.all(images.map((image) => image.decode().catch(() => {})));
    ready = true;
    if (main.querySelector(".pictures")) loadAhead();
  }

  // The images of the pair after this one are loaded while somebody looks; a text comes with its pair.
  async function loadAhead() {
    const form = main.querySelector("form.answers"), place = main.dataset.ahead;
    try {
      const answer = await fetch(place, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      if (answer.status === 200) (await answer.json()).images.forEach((one) => { new Image().src = one; });
    } catch { /* then they come with the pair */ }
  }

  function show(html) {
    main.innerHTML = html;
    const head = main.querySelector("[data-said]");
    live.textContent = head ? head.dataset.said : "";
    window.scrollTo(0, 0);
    $("question")?.focus({ preventScroll: true });
    shown = performance.now();
    prepare();
  }

  const pause = (ms) => new Promise((done) => {
    const go = () => { clearTimeout(timer); removeEventListener("online", go); done(); };
    const timer = setTimeout(go, ms);
    addEventListener("online", go);
  });

  // The same form is sent until it is answered; the server keeps it once.
  async function send(address, body) {
    for (;;) {
      let answer = null;
      try {
        answer = await fetch(address, { method: "POST", body, headers: { "X-Fragment": "pair" } });
      } catch { /* offline */ }
      if (answer?.ok) return answer.text();
      if (answer && answer.status !== 429 && answer.status < 500) return null;
      const wait = Number(answer?.headers.get("Retry-After")) * 1000 || PAUSE;
      trouble.textContent = answer?.status === 429
        ? "A little slower, please: your answer is kept and sent in a moment."
        : "You seem to be offline. Your answer is kept here and sent as soon as it can be.";
      await pause(wait);
    }
  }

  async function submit(form, button) {
    if (busy || performance.now() < shown + CALM) return;
    busy = true;
    main.setAttribute("aria-busy", "true");
    const body = new URLSearchParams(new FormData(form, button));
    const html = await send(button.getAttribute("formaction") || form.getAttribute("action"), body);
    trouble.textContent = "";
    main.removeAttribute("aria-busy");
    busy = false;
    if (html === null) location.reload();
    else show(html);
  }

  main.addEventListener("submit", (event) => {
    if (!event.submitter) return;
    event.preventDefault();
    submit(event.target, event.submitter);
  });

  // One image in the place of the other; the buttons say what they show next.
  function flip() {
    const sides = $("sides");
    if (!sides?.classList.contains("pictures")) return;
    sides.dataset.flip = sides.dataset.flip === "0" ? "1" : "0";
    const [one, other] = sides.dataset.flip === "0" ? ["A", "B"] : ["B", "A"];
    main.querySelector("[data-does=flip] span").textContent = `Show ${other}`;
    main.querySelector("[data-does=unflip]").hidden = false;
    live.textContent = `${one} is shown alone.`;
  }

  function unflip() {
    const sides = $("sides");
    if (!sides || !("flip" in sides.dataset)) return;
    delete sides.dataset.flip;
    main.querySelector("[data-does=flip] span").textContent = "One at a time";
    main.querySelector("[data-does=unflip]").hidden = true;
    live.textContent = "Both are shown.";
  }

  // An image as large as the screen is wide, to be scrolled; the other one comes at the same place of it.
  function enlarge(place) {
    const images = [...main.querySelectorAll("#sides img")], image = images[place], shown = large.querySelector("img");
    shown.src = image.currentSrc || image.src;
    shown.alt = image.alt;
    $("large-name").textContent = "AB"[place];
    const other = large.querySelector("[data-does=other]");
    other.hidden = images.length < 2;
    other.textContent = `Show ${"BA"[place]}`;
    other.dataset.place = 1 - place;
    if (!large.open) { large.showModal(); large.querySelector(".large-view").scrollTop = 0; }
  }

  main.addEventListener("click", (event) => {
    const does = event.target.closest("[data-does]")?.dataset.does;
    if (does === "flip") flip();
    if (does === "unflip") unflip();
    if (does === "help") help.showModal();
    const picture = event.target.closest("a.picture");
    if (picture && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      enlarge([...main.querySelectorAll("#sides a.picture")].indexOf(picture));
    }
  });
  large.addEventListener("click", (event) => {
    if (event.target.dataset.does === "other") enlarge(Number(event.target.dataset.place));
    else if (event.target === large) large.close();
  });

  const KEYS = { ArrowLeft: "left", 1: "left", ArrowRight: "right", 2: "right", t: "tie", b: "both_bad", s: "skip" };

  function press(key) {
    const which = key === "u" ? "[name=undo]" : KEYS[key] ? `[value=${KEYS[key]}]` : null;
    const button = which && main.querySelector(`form ${which}`);
    if (button) button.form.requestSubmit(button);
    return Boolean(button);
  }

  document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (help.open || large.open || event.target.closest("input:not([name=played]), textarea, select, audio, video")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const arrow = key.startsWith("Arrow");
    // Where a text scrolls sideways, arrows are for scrolling.
    const wide = event.target.closest?.(".content");
    if (arrow && wide && wide.scrollWidth > wide.clientWidth) return;
    if (!arrow && key.length === 1 && !letters.checked) return;
    if (key === "?") help.showModal();
    else if (key === "f") flip();
    else if (key === "Escape") unflip();
    else if (ready && !busy && press(key)) event.preventDefault();
  });

  prepare();
})();
