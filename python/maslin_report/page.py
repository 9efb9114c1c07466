"""The page: everything in one file, nothing fetched from anywhere."""

from __future__ import annotations

from html import escape
from pathlib import Path, PurePath

from . import chains, labels, phylogram, sizing, style, timeline
from .inputs import Run
from .words import duration, number, per_cent, plural, scrolled

HERE = Path(__file__).parent


def style_sheet() -> str:
    """Gives the rules of page.css, with the colours of streams and the widths at which labels are shown."""
    streams = "".join(f".s{n}{{fill:{colour}}}" for n, colour in enumerate(style.STREAMS))
    streams += "".join(f".r{n}{{stroke:{colour}}}.f{n}{{fill:{colour}}}" for n, colour in enumerate(style.STREAMS))
    return (f":root{{--font:{style.FONT}}}{(HERE / 'page.css').read_text(encoding='utf-8')}{streams}"
            f".so{{fill:{style.OTHER}}}{labels.rules('tree', phylogram.WIDTHS)}{labels.rules('time', timeline.WIDTHS)}")


def cards(run: Run) -> list[tuple[str, str]]:
    """Gives the headline figures: value and what it is."""
    result = run.result
    return (sampled(result) if run.chains else searched(result)) + sized(run)


def sampled(result: dict) -> list[tuple[str, str]]:
    """Gives those of chains."""
    found = [(number(one["mean"], 1), "mean log-likelihood") for one in result["parameters"] if one["name"] == "LnL"]
    if result.get("asdsf") is not None:
        found.append((f"{result['asdsf']:.4f}", "split frequencies differ by"))
    effective = [one["ess"] for one in result["parameters"] if one.get("ess") is not None]
    if effective:
        found.append((number(min(effective), 0), "effective samples, at least"))
    found.append((number(result["generations"]["total"], 0), f"generations of {plural(len(result['runs']), 'run')}"))
    found.append((duration(result["seconds"]), f"for this run, on {plural(result['workers'], 'worker')}"))
    return found


def searched(result: dict) -> list[tuple[str, str]]:
    """Gives those of searches and bootstraps."""
    trees = result["trees"]
    found = []
    if "lnl" in result:
        found.append((number(result["lnl"], 3), "best log-likelihood"))
    kinds = [plural(len(result[key]), one, more) for key, one, more in
             (("searches", "search", "searches"), ("bootstraps", "bootstrap", "bootstraps")) if result.get(key)]
    found.append((number(trees["total"], 0), " and ".join(kinds) or "trees"))
    found.append((duration(result["seconds"]), f"for this run; {trees['restored']} trees came from before"
                  if trees["restored"] else f"on {plural(result['workers'], 'worker')}"))
    return found


def sized(run: Run) -> list[tuple[str, str]]:
    """Gives those of the workers."""
    found = []
    chosen = run.result.get("right_sizing") or {}
    if chosen.get("chosen"):
        found.append((sizing.name(chosen["chosen"]), "streams × width chosen"))
    if chosen.get("gain_over_worst") is not None:
        found.append(("+" + per_cent(chosen["gain_over_worst"]), "gained over the worst"))
        found.append((per_cent(chosen["loss_to_best"]), "lost to the best in hindsight"))
    if run.trace and run.trace["tracks"]:
        busy = [row["busy"] for row in run.trace["workers"] if "busy" in row]
        found.append((f"{100 * sum(busy) / len(busy):.1f} %", "of the workers’ time at work"))
    return found


def head(run: Run) -> str:
    result, alignment = run.result, run.result["alignment"]
    facts = [f"{number(alignment[key], 0)} {key}" for key in ("taxa", "sites", "patterns")]
    options = result.get("options", {})
    model, seed = result.get("model", options.get("--model")), result.get("seed", options.get("--seed"))
    facts += [escape(str(model)), f"seed {escape(str(seed))}"]
    if run.trace and run.trace.get("processor"):
        facts.append(f"{plural(result['workers'], 'worker')} on {escape(run.trace['processor'])}")
    boxes = "".join(f"<div class=card><b>{value}</b><span>{escape(what)}</span></div>" for value, what in cards(run))
    return (f"<header><h1>{escape(PurePath(alignment['file']).name)}</h1><p>{' · '.join(facts)}</p></header>"
            f"<div class=cards>{boxes}</div>")


def tree_section(run: Run) -> str:
    if run.chains:
        return consensus_section(run.chains)
    if not run.tree:
        return ""
    replicates = len(run.result.get("bootstraps") or [])
    said = "The best tree found, rooted in the middle of its longest path to be drawn."
    if replicates:
        said += (f" Numbers are the share of {replicates} bootstrap trees, in per cent, that have the branch to the "
                 "node’s left.")
    return f"<section><h2>Tree</h2><p>{said}</p>{phylogram.picture(run.tree)}</section>"


def consensus_section(of: chains.Chains) -> str:
    if not of.tree:
        return ""
    said = ("The majority consensus of the sampled trees, rooted in the middle of its longest path to be drawn. Numbers are the "
            "posterior probability, in per cent, of the branch to the node’s left.")
    return f"<section><h2>Tree</h2><p>{said}</p>{phylogram.picture(of.tree, 'posterior probability')}</section>"


def chains_section(run: Run) -> str:
    """Gives what the chains sampled, and whether they agree."""
    if not run.chains:
        return ""
    result, burnin = run.result, run.result["generations"]["burnin"]
    missing = len(result["runs"]) - len(run.chains.samples)
    note = f" The .p files of {plural(missing, 'run')} are not there." if missing else ""
    return (f"<section><h2>Do the runs agree?</h2><p>{chains.verdict(result)}</p>{chains.splits(result)}</section>"
            f"<section><h2>Samples</h2><p>The log-likelihood of each run’s cold chain; the shaded part is the burn-in of "
            f"{number(burnin, 0)} generations.{note}</p>{chains.likelihood(run.chains, burnin)}"
            f"{chains.parameters(result, run.chains, burnin)}</section>"
            f"<section><h2>Moves and swaps</h2><p>What share of the moves of the cold chains, and of the swaps of two chains of "
            f"different heat, was accepted.</p>{chains.acceptance(result)}</section>")


def timeline_section(run: Run) -> str:
    if not run.trace:
        return f"<section><h2>Workers</h2><p>{' '.join(escape(note) for note in run.notes)}</p></section>"
    trace = run.trace
    said = ("Each colour is one stream; pale is time without work. A worker has a stream’s colour when it runs it or "
            "shares one of its loops. Dotted lines: right-sizing tries another configuration (streams × width); "
            "solid lines: it has chosen. Drag to zoom, double-click to see the whole run.")
    if trace.get("dropped"):
        said += f" {number(trace['dropped'], 0)} events were dropped while recording, so some intervals are not exact."
    return f"<section><h2>Workers</h2><p>{said}</p>{timeline.picture(trace)}{kernels_table(trace)}</section>"


def kernels_table(trace: dict) -> str:
    """Gives the table of what was off-loaded as HTML."""
    rows = []
    for kernel in trace.get("kernels", []):
        each = 1e6 * kernel["seconds"] / kernel["count"] if kernel["count"] else 0
        rows.append(f"<tr><th scope=row>{escape(kernel['name'])}</th><td class=n>{number(kernel['count'], 0)}</td>"
                    f"<td class=n>{number(kernel['seconds'], 2)}</td><td class=n>{number(each, 2)}</td></tr>")
    if not rows:
        return ""
    return scrolled("kernels", "<table><caption class=unseen>What was off-loaded</caption><thead><tr><th>kernel</th>"
                    "<th class=n>off-loads</th><th class=n>seconds</th><th class=n>µs each</th></tr></thead>"
                    f"<tbody>{''.join(rows)}</tbody></table>")


def sizing_section(run: Run) -> str:
    if run.chains and "right_sizing" not in run.result:
        return ""
    sized = run.result.get("right_sizing")
    if not sized:
        return "<section><h2>Right-sizing</h2><p>No phase ran: every tree had been finished before.</p></section>"
    body = ""
    if sized["configurations"]:
        body = scrolled("configurations", sizing.table(sized))
    said = sizing.verdict(sized) + sizing.waiting(sized)
    note = (" W is kernel work completed per second, in seconds of one worker." if body else "")
    return f"<section><h2>Right-sizing</h2><p>{said}{note}</p>{body}</section>"


def machine_section(run: Run) -> str:
    result, trace = run.result, run.trace or {}
    pairs = [("model found", (result.get("best") or {}).get("model")), ("instruction set", result.get("instructions")),
             ("workers", result.get("workers")), ("processor", trace.get("processor")), ("host", trace.get("host")),
             ("started", trace.get("started"))]
    if run.trace_file:
        pairs.append(("trace", f"{run.trace_file.name} (maslin trace info, or maslin trace export --perfetto)"))
    for what, path in result["files"].items():
        pairs.append((f"file: {what.replace('_', ' ')}", PurePath(str(path)).name))
    rows = "".join(f"<dt>{escape(what)}</dt><dd><code>{escape(str(value))}</code></dd>" for what, value in pairs
                   if value not in (None, ""))
    return f"<section><h2>Run</h2><dl>{rows}</dl></section>" if rows else ""


def render(run: Run) -> str:
    """Gives the whole page."""
    title = escape(PurePath(run.result["alignment"]["file"]).name)
    body = "".join((head(run), tree_section(run), chains_section(run), timeline_section(run), sizing_section(run), machine_section(run)))
    script = (HERE / "page.js").read_text(encoding="utf-8")
    return ("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content='width=device-width, "
            f"initial-scale=1'><title>{title} · Maslin</title><style>{style_sheet()}</style></head>\n<body><main>{body}</main>"
            f"<div id=tip hidden></div><div id=said class=unseen role=status></div><script>{script}</script></body></html>\n")
