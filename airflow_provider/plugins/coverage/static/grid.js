// Lays cells out: days as weeks by weekday, hours as days by hour, anything longer as a row per year or decade.
// Every text goes through textContent or an attribute, never through markup.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY_MS = 86400000;

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function words(cell) {
  const states = {
    committed: "committed", empty: "empty: known to hold no rows", untracked: "untracked: there before the package, not vouched for", missing: "missing", outside: "not expected",
  };
  const lines = [states[cell.state] || cell.state];
  if (cell.rows !== undefined && cell.state !== "missing" && cell.state !== "untracked") lines[0] += `, ${number(cell.rows)} ${cell.rows === 1 ? "row" : "rows"}`;
  if (cell.at) lines.push(`at ${cell.at}`);
  if (cell.attempt === "failed") lines.push(cell.error ? `last attempt failed: ${cell.error}` : "last attempt failed");
  else if (cell.attempt) lines.push(`last attempt: ${cell.attempt}`);
  return lines;
}

export function number(value) {
  return Number(value).toLocaleString("en-US");
}

export function classes(cell) {
  return ["cell", cell.state, cell.attempt === "failed" || cell.attempt === "running" ? cell.attempt : ""].join(" ").trim();
}

// A grid for the cells of one answer. Its cells carry their place in `answer.cells` as data-i.
export function grid(answer, label) {
  const layouts = { day: days, hour: hours, week: years, month: years, quarter: years, year: decades };
  const { head, rows, kind } = (answer.kind === "time" ? layouts[answer.granularity] : matrix)(answer);
  const table = element("table", { role: "grid", class: `grid ${kind || ""}`, "aria-label": label, "aria-readonly": "true" });
  if (head) table.append(element("thead", {}, element("tr", {}, element("td"), ...head)));
  const body = element("tbody");
  for (const { title, slots } of rows) {
    body.append(element("tr", {}, element("th", { scope: "row" }, title), ...slots.map((slot) => square(answer, slot))));
  }
  table.append(body);
  const cells = table.querySelectorAll("[data-i]");
  if (cells.length) cells[cells.length - 1].tabIndex = 0;
  return table;
}

// A slot is the number of a cell, "blank" for a date without one, or "off" for a place that no date has.
function square(answer, slot) {
  if (typeof slot !== "number") return element("td", { class: `cell blank ${slot}` });
  const cell = answer.cells[slot];
  const label = [cell.key || "all of it", ...words(cell)].join(", ");
  return element("td", { class: classes(cell), "data-i": slot, tabindex: "-1", "aria-label": label });
}

function head(texts) {
  // Labels may be wider than their column and then reach over the empty ones that follow.
  return texts.map((text) => (text ? element("th", { scope: "col" }, text) : element("td")));
}

function days(answer) {
  const place = new Map(answer.cells.map((cell, i) => [cell.date, i]));
  const first = Date.parse(answer.range.from), last = Date.parse(answer.range.to);
  const weekday = (at) => (new Date(at).getUTCDay() + 6) % 7;
  const monday = first - weekday(first) * DAY_MS;
  const weeks = Math.floor((last - monday) / DAY_MS / 7) + 1;
  const labels = [];
  let shown = -1;
  for (let week = 0; week < weeks; week++) {
    const at = new Date(Math.max(monday + week * 7 * DAY_MS, first));
    const starts = at.getUTCMonth() !== shown && (at.getUTCDate() <= 7 || week === 0);
    labels.push(starts ? MONTHS[at.getUTCMonth()] : "");
    if (starts) shown = at.getUTCMonth();
  }
  const rows = WEEKDAYS.map((title, day) => ({
    title,
    slots: Array.from({ length: weeks }, (_, week) => {
      const at = monday + (week * 7 + day) * DAY_MS;
      if (at < first || at > last) return "off";
      return place.get(new Date(at).toISOString().slice(0, 10)) ?? "blank";
    }),
  }));
  return { head: head(labels), rows };
}

function hours(answer) {
  // A local hour that comes twice in autumn gets a column of its own.
  const dates = new Map();
  const columns = new Set(Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}.0`));
  answer.cells.forEach((cell, i) => {
    const row = dates.get(cell.date) || dates.set(cell.date, new Map()).get(cell.date);
    const hour = cell.key.slice(11, 13);
    let again = 0;
    while (row.has(`${hour}.${again}`)) again++;
    row.set(`${hour}.${again}`, i);
    columns.add(`${hour}.${again}`);
  });
  const sorted = [...columns].sort();
  const rows = [...dates].map(([date, row]) => ({ title: date, slots: sorted.map((column) => row.get(column) ?? "blank") }));
  return { head: head(sorted.map((column) => (column.endsWith(".0") ? column.slice(0, 2) : `${column.slice(0, 2)}′`))), rows, kind: "wide" };
}

function years(answer) {
  const layout = {
    week: { count: 53, index: (key) => Number(key.slice(6)) - 1, label: (i) => (i % 4 ? "" : `W${i + 1}`), kind: "" },
    month: { count: 12, index: (key) => Number(key.slice(5)) - 1, label: (i) => MONTHS[i], kind: "decades" },
    quarter: { count: 4, index: (key) => Number(key.slice(6)) - 1, label: (i) => `Q${i + 1}`, kind: "decades" },
  }[answer.granularity];
  const found = byRow(answer.cells, (key) => key.slice(0, 4), (key) => layout.index(key), layout.count);
  return { head: head(Array.from({ length: layout.count }, (_, i) => layout.label(i))), rows: found, kind: layout.kind };
}

function decades(answer) {
  const found = byRow(answer.cells, (key) => `${key.slice(0, 3)}0s`, (key) => Number(key.slice(3)), 10);
  return { head: head(Array.from({ length: 10 }, (_, i) => String(i))), rows: found, kind: "decades" };
}

function byRow(cells, title, column, count) {
  const rows = new Map();
  cells.forEach((cell, i) => {
    const name = title(cell.key);
    if (!rows.has(name)) rows.set(name, new Array(count).fill("blank"));
    rows.get(name)[column(cell.key)] = i;
  });
  return [...rows].map(([name, slots]) => ({ title: name, slots }));
}

// A row for each value of a list, or of several; columns are the partitions of the time, or the values of the last list.
function matrix(answer) {
  const prefix = { hour: 10, day: 7, week: 4, month: 4, quarter: 4, year: 3 }[answer.granularity];
  const columns = new Map();
  answer.cells.forEach((cell) => { if (!columns.has(cell.column)) columns.set(cell.column, columns.size); });
  const rows = new Map();
  answer.cells.forEach((cell, i) => {
    if (!rows.has(cell.row)) rows.set(cell.row, new Array(columns.size).fill("blank"));
    rows.get(cell.row)[columns.get(cell.column)] = i;
  });
  const names = [...columns.keys()];
  const label = (name, i) => (!prefix ? name : i && names[i - 1].slice(0, prefix) === name.slice(0, prefix) ? "" : name.slice(0, prefix));
  const found = [...rows].map(([title, slots]) => ({ title, slots }));
  return { head: names.some((name) => name) ? head(names.map(label)) : null, rows: found, kind: "matrix" };
}
