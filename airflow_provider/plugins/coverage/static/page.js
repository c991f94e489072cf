// The coverage page of one DAG: asks our JSON for its assets, draws a card for each. It only reads.

import { classes, element, grid, number, words } from "./grid.js";

const AT_ONCE = 3;
const dagId = new URLSearchParams(location.search).get("dag_id") || "";
const base = `dags/${encodeURIComponent(dagId)}`;
const status = document.getElementById("status");
const list = document.getElementById("assets");
const tip = document.getElementById("tip");

class Refused extends Error {}

async function ask(path, again = true) {
  const answer = await fetch(path, { credentials: "same-origin", headers: { Accept: "application/json" } });
  // A session that was renewed by this very answer is good for the next question.
  if (answer.status === 401 && again) return ask(path, false);
  if (answer.ok) return answer.json();
  const said = await answer.json().then((body) => body.detail, () => null);
  throw new Refused(reason(answer.status, typeof said === "string" ? said : ""));
}

function reason(code, said) {
  if (code === 401) return "You are not logged in, or the session has ended. Log in to Airflow and reload this page.";
  if (code === 403) return `You may not see this: ${said || "your role does not allow it"}.`;
  if (code === 404) return "There is no such asset in this DAG any more. Reload this page.";
  return said || `The server could not answer (${code}). Its log says why.`;
}

function say(text, notice = false) {
  status.textContent = text;
  status.className = notice ? "notice" : "";
}

// Follows the theme of the Airflow page around, or that of the system where there is none.
function followTheme() {
  const own = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  let frame = null;
  try {
    if (parent !== window) frame = parent.document.documentElement;
  } catch { /* another origin's page around ours */ }
  const apply = () => {
    const known = frame && (frame.classList.contains("dark") || frame.classList.contains("light"));
    own.classList.toggle("dark", known ? frame.classList.contains("dark") : system.matches);
    if (frame) wear(parent.document);
  };
  if (frame) new MutationObserver(apply).observe(frame, { attributes: true, attributeFilter: ["class"] });
  system.addEventListener("change", apply);
  apply();
}

function wear(around) {
  const colours = [around.body, around.documentElement].map((one) => getComputedStyle(one).backgroundColor);
  const opaque = colours.find((colour) => !["transparent", "rgba(0, 0, 0, 0)"].includes(colour));
  if (opaque) document.documentElement.style.setProperty("--page", opaque);
  document.body.style.fontFamily = getComputedStyle(around.body).fontFamily;
}

async function load() {
  if (!dagId) return say("This page shows one DAG: open it from the DAG's tab Coverage.", true);
  say("Loading…");
  list.replaceChildren();
  let found;
  try {
    found = (await ask(`${base}/assets`)).assets;
  } catch (error) {
    return say(error instanceof Refused ? error.message : "The server did not answer. Reload this page.", true);
  }
  if (!found.length) {
    return say("This DAG produces no assets of airflow-provider-assets.\n" +
      "Coverage appears here for DAGs made with build_dag() or with an AssetOperator, once Airflow has read their file.", true);
  }
  say("");
  const cards = found.map((asset) => new Card(asset));
  list.append(...cards.map((card) => card.root));
  const waiting = [...cards];
  const work = async () => {
    for (let card = waiting.shift(); card; card = waiting.shift()) await card.load();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

let made = 0;

class Card {
  constructor(asset) {
    this.asset = asset;
    this.choice = {};
    const id = `asset-${++made}`;
    this.pick = element("div", { class: "pick" });
    this.body = element("div", { "aria-live": "off" }, element("p", { class: "about" }, "Loading…"));
    this.about = element("span", { class: "about" }, summary(asset));
    const head = element("header", {}, element("h2", { id }, asset.name), this.about, this.pick);
    this.root = element("section", { class: "asset", "aria-labelledby": id }, head, this.body);
    this.root.card = this;
  }

  async load() {
    const query = new URLSearchParams({ asset: this.asset.name, ...this.choice });
    const turn = (this.turn = (this.turn || 0) + 1);
    this.root.setAttribute("aria-busy", "true");
    try {
      const answer = await ask(`${base}/coverage?${query}`);
      if (turn === this.turn) this.show(answer);
    } catch (error) {
      const text = error instanceof Refused ? error.message : "The server did not answer. Reload this page.";
      if (turn === this.turn) this.body.replaceChildren(element("p", { class: "problem" }, text));
    } finally {
      this.root.removeAttribute("aria-busy");
    }
  }

  show(answer) {
    this.answer = answer;
    this.about.textContent = summary(answer);
    this.choose(answer);
    const parts = [totals(answer)];
    if (!answer.kind) parts.push(whole(answer.cells[0]));
    else if (answer.cells.length) parts.push(element("div", { class: "scroll" }, grid(answer, `Partitions of ${this.asset.name}`)));
    else parts.push(element("p", { class: "about" }, nothing(answer)));
    if (answer.cut) parts.push(element("p", { class: "about" }, `Only the newest ${number(answer.cells.length)} are drawn.`));
    parts.push(gaps(answer), failures(answer));
    this.body.replaceChildren(...parts.filter(Boolean));
  }

  choose(answer) {
    const focused = this.pick.contains(document.activeElement) ? document.activeElement.dataset.control : null;
    const parts = [];
    if (answer.destinations.length > 1) {
      const options = [["", "all together"], ...answer.destinations.map((address) => [address, address])];
      parts.push(...this.select("destination", "Destination", options, answer.destination || "", (value) => {
        if (value) this.choice.destination = value;
        else delete this.choice.destination;
      }));
    }
    if (answer.periods.length > 1) {
      const at = answer.periods.findIndex((period) => period.from === answer.range.from);
      const options = answer.periods.map((period, i) => [String(i), period.label]);
      const go = (value) => {
        const period = answer.periods[Number(value)];
        Object.assign(this.choice, { from: period.from, to: period.to });
      };
      parts.push(this.step("earlier", "Earlier", "‹", at + 1 < answer.periods.length, () => go(at + 1)));
      parts.push(...this.select("period", "Period", options, String(at), go));
      parts.push(this.step("later", "Later", "›", at > 0, () => go(at - 1)));
    }
    this.pick.replaceChildren(...parts);
    if (focused) {
      const same = this.pick.querySelector(`[data-control="${focused}"]:not(:disabled)`) || this.pick.querySelector("select");
      if (same) same.focus();
    }
  }

  step(control, label, sign, possible, act) {
    const attributes = { type: "button", "data-control": control, "aria-label": `${label} period of ${this.asset.name}`, disabled: !possible };
    const button = element("button", attributes, sign);
    button.addEventListener("click", () => { act(); this.load(); });
    return button;
  }

  select(control, label, options, value, act) {
    const made = element("select", { "data-control": control, "aria-label": `${label} of ${this.asset.name}` });
    made.append(...options.map(([key, text]) => element("option", { value: key }, text)));
    made.value = value;
    made.addEventListener("change", () => { act(made.value); this.load(); });
    return [made];
  }
}

function summary(asset) {
  if (asset.problem) return asset.problem;
  if (!asset.kind) return "not partitioned";
  const grains = { hour: "hourly", day: "daily", week: "weekly", month: "monthly", quarter: "quarterly", year: "yearly" };
  const parts = [grains[asset.granularity] || "by list"];
  if (asset.kind !== "time" && asset.columns) parts.push(`by ${asset.columns.join(" and ")}`);
  if (asset.timezone) parts.push(asset.timezone);
  if (asset.inferred) parts.push("guessed from the keys held: Airflow has lost the partitioning of this asset");
  if (asset.start) parts.push(asset.end ? `${asset.start} to ${asset.end}` : `from ${asset.start}`);
  return parts.join(" · ");
}

function totals(answer) {
  const { held, untracked, missing, failed, rows, expected } = answer.totals;
  const of = answer.kind && expected ? `held of ${number(expected)} expected` : "held";
  const entry = (name, value, text) =>
    element("div", { class: `${name}${value ? " some" : ""}` }, element("dt", {}, text), element("dd", {}, number(value)));
  return element("dl", { class: "totals" }, entry("held", held, of), untracked ? entry("untracked", untracked, "untracked") : null, entry("missing", missing, "missing"),
    entry("failed", failed, "last attempt failed"), entry("rows", rows, rows === 1 ? "row" : "rows"));
}

function whole(cell) {
  return element("p", { class: "whole" }, element("span", { class: classes(cell), "aria-hidden": "true" }), words(cell).join(", "));
}

function nothing(answer) {
  if (answer.periods.length) return "No partition is expected or held in this period.";
  if (answer.start) return "No partition is complete yet: the first one is still to end.";
  return "Nothing is held yet. The partitioning has no start, so nothing says which partitions to expect: " +
    "they appear here with the first run, or set start= to see what is missing.";
}

function gaps(answer) {
  if (!answer.gaps.length) return null;
  const count = answer.gaps.length + answer.more_gaps;
  const title = element("summary", {}, element("b", {}, `${number(answer.totals.missing)} missing`),
    ` in ${number(count)} ${count === 1 ? "stretch" : "stretches"}`);
  const items = answer.gaps.map((gap) =>
    element("li", {}, gap.count === 1 ? gap.first : answer.kind === "time" ? `${gap.first} … ${gap.last} (${number(gap.count)})` : `${gap.text} (${number(gap.count)})`));
  if (answer.more_gaps) items.unshift(element("li", {}, `${number(answer.more_gaps)} earlier ones`));
  // What scrolls has to be reachable by keyboard.
  const scrolls = items.length > 20 ? { tabindex: "0", role: "group", "aria-label": "Missing stretches" } : {};
  const listed = element("div", scrolls, element("ul", { class: "gaps" }, ...items));
  return element("details", { open: answer.gaps.length <= 12 }, title, listed);
}

function failures(answer) {
  if (!answer.failures.length) return null;
  const title = element("summary", {}, element("b", {}, `${number(answer.failures.length)} failed`), " at the last attempt, newest first");
  const items = answer.failures.map((one) =>
    element("li", {}, `${one.key || "the whole"}: ${one.error || "no error was recorded"} `, element("span", {}, one.at)));
  return element("details", { open: answer.failures.length <= 3 }, title, element("ul", { class: "failures" }, ...items));
}

// One tooltip for all cells, for the mouse and for the keyboard.

function cellOf(target) {
  const square = target instanceof Element ? target.closest("[data-i]") : null;
  const card = square ? square.closest(".asset").card : null;
  return card ? { square, cell: card.answer.cells[Number(square.dataset.i)] } : null;
}

function showTip(event) {
  const found = cellOf(event.target);
  if (!found) return;
  const { square, cell } = found;
  tip.replaceChildren(element("b", {}, cell.key || "all of it"), ...words(cell).map((line) => element("p", {}, line)));
  tip.hidden = false;
  const at = square.getBoundingClientRect(), size = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.left + at.width / 2 - size.width / 2), innerWidth - size.width - 8);
  const above = at.top - size.height - 8;
  tip.style.left = `${left}px`;
  tip.style.top = `${above >= 4 ? above : at.bottom + 8}px`;
}

function hideTip() {
  tip.hidden = true;
}

function moveFocus(event) {
  const found = cellOf(event.target);
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: "first", End: "last" };
  const step = steps[event.key];
  if (!found || !step) return;
  event.preventDefault();
  const next = typeof step === "string" ? atEnd(found.square, step) : neighbour(found.square, step);
  if (!next) return;
  found.square.closest("table").querySelectorAll('[data-i][tabindex="0"]').forEach((one) => { one.tabIndex = -1; });
  next.tabIndex = 0;
  next.focus();
}

function atEnd(square, which) {
  const cells = square.parentElement.querySelectorAll("[data-i]");
  return cells[which === "first" ? 0 : cells.length - 1];
}

function neighbour(square, [down, right]) {
  const rows = square.closest("tbody").rows;
  let row = square.parentElement.sectionRowIndex + down, column = square.cellIndex + right;
  while (row >= 0 && row < rows.length && column >= 1 && column < rows[row].cells.length) {
    const at = rows[row].cells[column];
    if (at.dataset.i !== undefined) return at;
    row += down;
    column += right;
  }
  return null;
}

list.addEventListener("mouseover", showTip);
list.addEventListener("mouseout", hideTip);
list.addEventListener("focusin", showTip);
list.addEventListener("focusout", hideTip);
list.addEventListener("keydown", moveFocus);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
addEventListener("scroll", hideTip, { passive: true });
document.getElementById("reload").addEventListener("click", load);

followTheme();
load();
