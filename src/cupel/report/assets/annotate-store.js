"use strict";
// What an annotator has done: kept in this browser after every change, saved as a file, and read from one.
const cupelStore = (() => {
  const VERSION = 1;

  const CRC = Array.from({ length: 256 }, (_, n) => {
    let value = n;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value >>> 0;
  });
  const crc32 = (text) => {
    let value = 0xffffffff;
    for (const byte of new TextEncoder().encode(text)) value = (value >>> 8) ^ CRC[(value ^ byte) & 255];
    return (value ^ 0xffffffff) >>> 0;
  };

  // A judgment as it is written; `sum` tells whether it was changed afterwards.
  const record = (item, one) => {
    const errors = (one.errors || []).map((e) => ({
      start: e.start, end: e.end, severity: e.severity, category: e.category || "", source: Boolean(e.source),
    }));
    const ranks = Object.entries(one.ranks || {}).sort((a, b) => (a[0] < b[0] ? -1 : 1));
    const score = one.score ?? null, comment = one.comment || "", ms = Math.round(one.ms || 0);
    const signed = [item, score, errors.map((e) => [e.start, e.end, e.severity, e.category, e.source]), ranks, comment, ms, one.at];
    return { item, score, errors, ranks: Object.fromEntries(ranks), comment, ms, at: one.at, sum: crc32(JSON.stringify(signed)) };
  };

  const open = (sheet) => {
    const key = `cupel:${sheet.tasks}:${sheet.part}`;
    const fresh = () => ({
      name: sheet.annotator || "", at: -1, judgments: {}, started: new Date().toISOString(),
      session: Math.random().toString(36).slice(2, 10),
    });
    let state = fresh(), kept = true;
    try {
      const stored = JSON.parse(localStorage.getItem(key) || "null");
      if (stored && typeof stored === "object" && stored.judgments) state = { ...state, ...stored };
    } catch {
      kept = false;
    }
    const keep = () => {
      try {
        localStorage.setItem(key, JSON.stringify(state));
        kept = true;
      } catch {
        kept = false;
      }
      return kept;
    };
    const finished = () => sheet.screens.filter((screen) => state.judgments[screen.id]?.at);
    // One judgment a line, so that a file that was cut short can still be read up to there.
    const written = () => {
      const head = {
        cupel: "annotations", version: VERSION, tasks: sheet.tasks, name: sheet.name, part: sheet.part,
        protocol: sheet.protocol, annotator: state.name, session: state.session, started: state.started,
        exported: new Date().toISOString(), total: sheet.screens.length,
      };
      const lines = finished().map((screen) => JSON.stringify(record(screen.id, state.judgments[screen.id])));
      return `${JSON.stringify(head).slice(0, -1)},"judgments":[\n${lines.join(",\n")}\n]}\n`;
    };
    // Adds the judgments of a file; returns a sentence for the annotator.
    const read = (text) => {
      let given;
      try {
        given = JSON.parse(text);
      } catch {
        return "This file cannot be read: it is not a file that this page has saved.";
      }
      if (!given || given.cupel !== "annotations" || !Array.isArray(given.judgments)) {
        return "This file cannot be read: it is not a file that this page has saved.";
      }
      if (given.tasks !== sheet.tasks || given.part !== sheet.part) {
        return "This file belongs to other tasks or to another annotator's page; nothing was read.";
      }
      let added = 0;
      for (const one of given.judgments) {
        const known = sheet.screens.some((screen) => screen.id === one.item);
        const old = state.judgments[one.item];
        if (!known || (old && old.at && old.at >= one.at)) continue;
        state.judgments[one.item] = { ...one };
        added += 1;
      }
      if (!state.name && given.annotator) state.name = String(given.annotator);
      keep();
      return `${added} judgments were read from the file.`;
    };
    return {
      get state() { return state; },
      get kept() { return kept; },
      keep, finished, written, read,
    };
  };
  return { open };
})();
