"use strict";
// What the pictures tell when they are pointed at or gone through by keys, and the zoom of the time line.
(() => {
  const tip = document.getElementById("tip");
  const said = document.getElementById("said"); // what screen readers read out

  const hide = () => { tip.hidden = true; };

  function show(text, x, y) {
    tip.textContent = text;
    tip.hidden = false;
    const size = tip.getBoundingClientRect();
    const right = document.documentElement.clientWidth - size.width - 4;
    tip.style.left = `${Math.max(4, Math.min(x + 12, right))}px`;
    tip.style.top = `${y + 18 + size.height < innerHeight ? y + 18 : y - size.height - 10}px`;
  }

  /** Calls `steps[key]` for keys that it has; the page does not scroll by them then. */
  function listen(element, steps) {
    element.addEventListener("keydown", (event) => {
      const step = event.ctrlKey || event.altKey || event.metaKey ? null : steps[event.key];
      if (!step) return;
      event.preventDefault();
      step();
    });
    element.addEventListener("blur", hide);
    element.addEventListener("scroll", hide);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("scroll", hide);

  const tree = document.querySelector(".tree");
  if (tree) {
    const points = [...tree.querySelectorAll(".point")];
    for (const point of points) { // browsers would show titles beside the tip
      const title = point.querySelector("title");
      point.dataset.said = title.textContent;
      title.remove();
    }
    tree.addEventListener("pointermove", (event) => {
      const point = event.target.closest(".point");
      if (point) show(point.dataset.said, event.clientX, event.clientY);
      else hide();
    });
    tree.addEventListener("pointerleave", hide);

    let at = -1;
    const go = (to) => {
      points[at]?.classList.remove("at");
      at = Math.max(0, Math.min(to, points.length - 1));
      points[at].classList.add("at");
      points[at].scrollIntoView({ block: "nearest", inline: "nearest" });
      const place = points[at].getBoundingClientRect();
      show(points[at].dataset.said, place.left, place.bottom - 12);
      said.textContent = points[at].dataset.said;
    };
    const next = () => go(at + 1), previous = () => go(at - 1);
    listen(tree.closest(".keys"), {
      ArrowDown: next, ArrowRight: next, ArrowUp: previous, ArrowLeft: previous,
      Home: () => go(0), End: () => go(points.length - 1),
    });
  }

  const time = document.querySelector(".timeline");
  if (time) {
    const data = JSON.parse(document.getElementById("time-data").textContent);
    const view = time.querySelector(".keys"), box = time.querySelector(".time-box");
    const rows = [...box.querySelectorAll("svg[data-row]")];
    const mark = box.appendChild(document.createElement("div")); // the interval that the keys are at
    const dragged = box.appendChild(document.createElement("div"));
    mark.className = "time-at";
    dragged.className = "time-dragged";
    mark.hidden = dragged.hidden = true;

    const name = (stream) => (stream < 0 ? "outside streams" : data.streams[stream]);
    const tell = (row, [begin, end, stream]) =>
      `${name(stream)}\n${rows[row].dataset.row}\n${begin.toPrecision(5)} s, for ${(end - begin).toPrecision(3)} s`;

    /** Shows the run from one share of its time to another. */
    function zoom(from, to) {
      const factor = Math.max(1, Math.min(1 / (to - from), data.most / view.clientWidth));
      box.style.width = `${100 * factor}%`;
      view.scrollLeft = ((from + to) / 2) * box.clientWidth - view.clientWidth / 2;
    }
    function zoomBy(factor) {
      const middle = (view.scrollLeft + view.clientWidth / 2) / box.clientWidth;
      const half = (factor * view.clientWidth) / box.clientWidth / 2;
      zoom(middle - half, middle + half);
    }
    const zooms = { in: () => zoomBy(1 / 2), out: () => zoomBy(2), all: () => zoom(0, 1) };
    const buttons = document.querySelector(".zoom-buttons");
    buttons.hidden = false;
    buttons.addEventListener("click", (event) => zooms[event.target.dataset.zoom]?.());

    const share = (x) => {
      const place = box.getBoundingClientRect();
      return Math.max(0, Math.min((x - place.left) / place.width, 1));
    };
    let begun = null; // where a drag began
    box.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button !== 0) return;
      begun = event.clientX;
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointermove", (event) => {
      if (begun !== null) {
        const from = share(Math.min(begun, event.clientX)), to = share(Math.max(begun, event.clientX));
        dragged.hidden = false;
        dragged.style.left = `${100 * from}%`;
        dragged.style.width = `${100 * (to - from)}%`;
        return hide();
      }
      const row = rows.indexOf(event.target.closest("svg[data-row]"));
      const at = share(event.clientX) * data.duration;
      const span = row >= 0 && data.tracks[row].find(([begin, end]) => begin <= at && at <= end);
      if (span) show(tell(row, span), event.clientX, event.clientY);
      else hide();
    });
    box.addEventListener("pointerup", (event) => {
      if (begun !== null && Math.abs(event.clientX - begun) > 6)
        zoom(share(Math.min(begun, event.clientX)), share(Math.max(begun, event.clientX)));
      begun = null;
      dragged.hidden = true;
    });
    box.addEventListener("pointercancel", () => { begun = null; dragged.hidden = true; });
    box.addEventListener("pointerleave", hide);
    box.addEventListener("dblclick", zooms.all);

    let row = 0, number = -1;
    function go(toRow, toNumber) {
      const spans = data.tracks[toRow];
      if (!spans?.length) return;
      row = toRow;
      number = Math.max(0, Math.min(toNumber, spans.length - 1));
      const [begin, end] = spans[number], middle = (begin + end) / 2 / data.duration;
      mark.hidden = false;
      mark.style.left = `${(100 * begin) / data.duration}%`;
      mark.style.width = `${(100 * (end - begin)) / data.duration}%`;
      mark.style.top = `${data.top + row * data.row}px`;
      mark.style.height = `${data.row}px`;
      const inView = middle * box.clientWidth - view.scrollLeft;
      if (inView < 0 || inView > view.clientWidth) view.scrollLeft += inView - view.clientWidth / 2;
      view.scrollIntoView({ block: "nearest" });
      const text = tell(row, spans[number]), place = box.getBoundingClientRect();
      // A scroll, which hides the tip, is told only after this.
      setTimeout(() => show(text, place.left + middle * place.width, place.top + data.top + (row + 1) * data.row - 12), 50);
      said.textContent = text;
    }
    /** Goes to the interval of another worker that lies nearest in time. */
    function goAcross(by) {
      const spans = data.tracks[row + by];
      if (!spans?.length) return;
      const [begin, end] = data.tracks[row][Math.max(number, 0)], middle = (begin + end) / 2;
      const far = spans.map(([b, e]) => Math.abs((b + e) / 2 - middle));
      go(row + by, far.indexOf(Math.min(...far)));
    }
    listen(view, {
      ArrowRight: () => go(row, number + 1), ArrowLeft: () => go(row, number - 1),
      ArrowDown: () => goAcross(1), ArrowUp: () => goAcross(-1),
      Home: () => go(row, 0), End: () => go(row, Infinity),
      "+": zooms.in, "=": zooms.in, "-": zooms.out, 0: zooms.all,
    });
  }
})();
