"use strict";
// Chooses among the findings, copies calls and commands, unfolds. All it reads is on the page, and all it writes is text.
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const form = one("#filters");
  const said = one("#said");
  if (!form) return;

  const say = (text) => {
    said.textContent = "";
    setTimeout(() => { said.textContent = text; }, 50); // the same words again are told again
  };

  // --- choosing ------------------------------------------------------------------------------------------------------

  const groups = all(".group").map((element) => ({
    element,
    level: element.dataset.level,
    rule: element.dataset.rule,
    findings: all(".finding", element),
  }));
  const blocks = all(".block").map((element) => ({ element, findings: all(".finding", element) }));
  const total = groups.reduce((sum, group) => sum + group.findings.length, 0);
  const boxes = all("input[name=level]", form);
  const texts = new Map();
  const textOf = (group, finding) => {
    if (!texts.has(finding)) {
      const heading = one(group.findings.length > 1 ? "h4 .what" : "h4", group.element); // rows say their own tools
      const shared = `${heading.textContent} ${group.rule}`;
      texts.set(finding, `${shared} ${finding.textContent}`.toLowerCase());
    }
    return texts.get(finding);
  };

  const wanted = () => ({
    levels: new Set(boxes.filter((box) => box.checked).map((box) => box.value)),
    side: form.elements.side.value,
    tool: form.elements.tool.value,
    rule: form.elements.rule.value,
    words: form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean),
  });

  const choose = () => {
    const want = wanted();
    let shown = 0;
    for (const group of groups) {
      const here = want.levels.has(group.level) && (!want.rule || want.rule === `=${group.rule}`);
      let matches = 0;
      for (const finding of group.findings) {
        const match = here
          && (!want.side || want.side === `=${finding.dataset.side}`)
          && (!want.tool || want.tool === `=${finding.dataset.tool}`)
          && want.words.every((word) => textOf(group, finding).includes(word));
        finding.hidden = !match;
        matches += match ? 1 : 0;
      }
      group.element.hidden = matches === 0;
      shown += matches;
      const left = group.findings.filter((finding) => !finding.hidden);
      if (left.length && left.length < group.findings.length && !left.some((finding) => finding.open)) {
        left[0].open = true; // what was unfolded for all of them was chosen away
      }
    }
    for (const { element, findings } of blocks) {
      const left = findings.filter((finding) => !finding.hidden).length;
      element.hidden = left === 0;
      const many = number(findings.length);
      one(".count", element).textContent = left === findings.length ? many : `${number(left)} of ${many}`;
    }
    for (const server of all(".server")) server.hidden = !one(".block:not([hidden])", server);
    const every = shown === total;
    one("#matches").textContent = every ? count(total) : `${number(shown)} of ${count(total)}`;
    one(".nothing").hidden = shown > 0;
    one("#all").disabled = every && isDefault(want);
    return want;
  };
  const number = (many) => many.toLocaleString("en");
  const count = (many) => `${number(many)} finding${many === 1 ? "" : "s"}`;
  const isDefault = (want) => want.levels.size === boxes.length
    && !want.side && !want.tool && !want.rule && !want.words.length;

  // --- sharing: the choice stands in the address, behind a # -----------------------------------------------------------

  const FIELDS = ["side", "tool", "rule"];
  const store = (want) => {
    const address = new URLSearchParams();
    if (want.levels.size < boxes.length) address.set("level", [...want.levels].join(" ").toLowerCase());
    for (const name of FIELDS) if (want[name]) address.set(name, want[name].slice(1));
    if (want.words.length) address.set("text", form.elements.text.value.trim());
    const hash = address.toString();
    const bare = location.href.replace(/#.*/s, "");
    history.replaceState(null, "", hash ? `${bare}#${hash}` : bare);
  };
  const restore = () => {
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) return open(hash);
    const address = new URLSearchParams(hash);
    form.reset();
    const levels = address.has("level") ? address.get("level").toUpperCase().split(" ") : null;
    for (const box of boxes) box.checked = !levels || levels.includes(box.value);
    for (const name of FIELDS) {
      const value = address.has(name) ? `=${address.get(name)}` : "";
      form.elements[name].value = value;
      if (form.elements[name].selectedIndex < 0) form.elements[name].value = ""; // another report's
    }
    form.elements.text.value = address.get("text") || "";
    choose();
  };
  const open = (id) => {
    const target = id && document.getElementById(id);
    if (target && target.tagName === "DETAILS") target.open = true;
  };

  form.addEventListener("input", () => store(choose()));
  const clear = () => {
    form.reset();
    store(choose());
  };
  one("#all").addEventListener("click", clear);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", restore);

  // --- copying ---------------------------------------------------------------------------------------------------------

  const copy = async (text, shown) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return shown.textContent === text ? selectAndCopy(shown) : copyUnseen(text);
    }
  };
  const selectAndCopy = (element) => {
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  };
  const copyUnseen = (text) => {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  };
  const button = (label, name, element, text) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "copy";
    made.textContent = label;
    made.setAttribute("aria-label", name);
    made.addEventListener("click", async () => {
      const done = await copy(text(element), element);
      say(done ? "Copied" : "Not copied: select the text and copy it by hand");
      made.textContent = done ? "Copied" : "Select it";
      setTimeout(() => { made.textContent = label; }, 1500);
    });
    return made;
  };
  const whole = (code) => code.textContent;
  const value = (code) => one(".value", code).textContent;
  const asJson = (code) => {
    const name = code.dataset.name || JSON.stringify(one(".name", code).textContent);
    return `{"name": ${name}, "arguments": ${value(code)}}`;
  };
  for (const code of all("code.call")) {
    const name = one(".name", code).textContent;
    code.after(
      button("Copy", `Copy the call of ${name}`, code, whole),
      button("JSON", `JSON: copy the call of ${name} as it is sent`, code, asJson),
    );
  }
  for (const code of all("code.answer")) {
    code.after(button("JSON", `JSON: copy the answer of ${one(".name", code).textContent}`, code, value));
  }
  for (const code of all("code.command")) code.after(button("Copy", `Copy ${whole(code)}`, code, whole));

  // --- unfolding -------------------------------------------------------------------------------------------------------

  for (const link of all("a.inline")) link.setAttribute("aria-expanded", "false");
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.inline");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    toggle(link);
  });
  const toggle = (link) => {
    if (link.nextElementSibling?.classList.contains("inlined")) {
      link.nextElementSibling.remove();
      link.setAttribute("aria-expanded", "false");
      return;
    }
    const body = one(".body", document.getElementById(link.getAttribute("href").slice(1))).cloneNode(true);
    body.classList.add("inlined");
    link.after(body);
    link.setAttribute("aria-expanded", "true");
  };

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open])");
    for (const each of folded) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
  });

  // --- keys ------------------------------------------------------------------------------------------------------------

  const dialog = one("#keys");
  const keysOn = one("#keys-on");
  try {
    keysOn.checked = localStorage.getItem("fusion-keys") !== "off";
    keysOn.addEventListener("change", () => localStorage.setItem("fusion-keys", keysOn.checked ? "on" : "off"));
  } catch { /* a page that may store nothing asks anew */ }
  one("#help").addEventListener("click", () => dialog.showModal());
  const step = (by) => {
    const visible = groups.filter((group) => !group.element.hidden).map((group) => group.element);
    const here = visible.indexOf(document.activeElement.closest(".group"));
    const next = visible[here < 0 && by < 0 ? visible.length - 1 : here + by];
    if (!next) return say(by > 0 ? "This is the last finding" : "This is the first finding");
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  };
  const does = {
    "/": () => form.elements.text.focus(),
    j: () => step(1),
    k: () => step(-1),
    x: clear,
    "?": () => dialog.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || dialog.open) return;
    if (!keysOn.checked || event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    const action = does[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  form.hidden = false;
  restore();
})();
