// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
// Draws the plots of a study and keeps them in step with the choices above them.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
// Plotly reads some markup in labels; names from a dataset are text.
const plain = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const names = data.configurations.map(plain);
const settings = { responsive: true, displaylogo: false, displayModeBar: false };

function layout(x, y, more = {}) {
  return {
    margin: { l: 50, r: 10, t: 10, b: 45 }, hovermode: "closest", dragmode: false,
    legend: { orientation: "h", y: -0.25 },
    xaxis: { title: { text: x } }, yaxis: { title: { text: y } }, ...more,
  };
}

function draw(id, traces, form) {
  return Plotly.react(byId(id), traces, form, settings);
}

function fill(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => new Option(text, value)));
}

function best(row) {
  let found = -1;
  data.shares[row].forEach((share, column) => {
    if (share !== null && (found < 0 || share > data.shares[row][found])) found = column;
  });
  return found;
}

function drawProblem() {
  const shares = data.shares[Number(byId("problem").value)];
  const order = [...shares.keys()].filter((i) => shares[i] !== null);
  order.sort((a, b) => shares[b] - shares[a]);
  const trace = {
    type: "bar", y: order.map((i) => shares[i]), x: order.map((_, place) => place + 1),
    text: order.map((i) => names[i]), textposition: "none",
    hovertemplate: "%{text}<br>%{y:.1%} of the best<extra></extra>",
  };
  draw("performance", [trace], layout("configurations by speed", "share of the best"));
}

function drawSet() {
  const rows = data.sets[byId("set").value];
  fill(byId("problem"), rows.map((row) => [row, data.problems[row]]));
  const wins = new Map();
  rows.forEach((row) => wins.set(best(row), (wins.get(best(row)) ?? 0) + 1));
  const order = [...wins.keys()].sort((a, b) => wins.get(b) - wins.get(a));
  const trace = {
    type: "bar", y: order.map((i) => wins.get(i)), x: order.map((_, place) => place + 1),
    text: order.map((i) => names[i]), textposition: "none",
    hovertemplate: "%{text}<br>fastest %{y} times<extra></extra>",
  };
  draw("wins", [trace], layout("configurations by wins", "problems"));
  const known = rows.filter((row) => data.achieved[row] !== null);
  known.sort((a, b) => data.achieved[a] - data.achieved[b]);
  byId("worst").replaceChildren(...known.slice(0, 10).map((row) => {
    const line = document.createElement("tr");
    const share = `${(100 * data.achieved[row]).toFixed(1)} %`;
    for (const text of [data.problems[row], share, data.configurations[best(row)]]) {
      line.insertCell().textContent = text;
    }
    return line;
  }));
  drawProblem();
}

function drawNormalisation() {
  const name = byId("normalisation").value;
  const count = (values) => values.map((_, place) => place + 1);
  const variance = data.variance[name].slice(0, 25);
  draw("variance", [{ x: count(variance), y: variance, mode: "lines+markers" }],
    layout("principal components", "part of the variance"));
  const profile = data.profiles[name];
  draw("profile", [{ x: count(profile), y: profile, mode: "lines" }],
    layout("configurations by speed", name));
  const traces = Object.entries(data.selectors[name] ?? {}).map(([selector, points]) => ({
    name: selector, mode: "lines+markers", x: points.map((p) => p[0]), y: points.map((p) => p[1]),
    error_y: {
      type: "data", symmetric: false, thickness: 1, width: 2,
      array: points.map((p) => (p[3] ?? p[1]) - p[1]),
      arrayminus: points.map((p) => p[1] - (p[2] ?? p[1])),
    },
    hovertemplate: `${selector}<br>%{x} kernels: %{y:.2%}<extra></extra>`,
  }));
  draw("selectors", traces, layout("kernels", "ceiling"));
}

fill(byId("set"), Object.keys(data.sets).map((name) => [name, name]));
fill(byId("normalisation"), Object.keys(data.variance).map((name) => [name, name]));
byId("set").addEventListener("change", drawSet);
byId("problem").addEventListener("change", drawProblem);
byId("normalisation").addEventListener("change", drawNormalisation);
drawSet();
drawNormalisation();
