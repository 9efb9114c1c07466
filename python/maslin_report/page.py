"""The page: everything in one file, nothing fetched from anywhere."""

from __future__ import annotations

from pathlib import Path, PurePath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from . import chains, labels, phylogram, sizing, style, timeline
from .inputs import Run
from .words import duration, number, per_cent, plural

HERE = Path(__file__).parent
TEMPLATES = Environment(loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
TEMPLATES.filters |= {"number": number, "per_cent": per_cent, "plural": plural}
TEMPLATES.globals |= {"chains": chains, "phylogram": phylogram, "sizing": sizing, "timeline": timeline}


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


def facts(run: Run) -> list[str]:
    """Gives what was analysed, and how."""
    result = run.result
    options = result.get("options", {})
    found = [f"{number(result['alignment'][key], 0)} {key}" for key in ("taxa", "sites", "patterns")]
    found += [str(result.get("model", options.get("--model"))), f"seed {result.get('seed', options.get('--seed'))}"]
    if run.trace and run.trace.get("processor"):
        found.append(f"{plural(result['workers'], 'worker')} on {run.trace['processor']}")
    return found


def pairs(run: Run) -> list[tuple[str, str]]:
    """Gives what else is known of the run: what it is, and its value."""
    result, trace = run.result, run.trace or {}
    found = [("model found", (result.get("best") or {}).get("model")), ("instruction set", result.get("instructions")),
             ("workers", result.get("workers")), ("processor", trace.get("processor")), ("host", trace.get("host")),
             ("started", trace.get("started"))]
    if run.trace_file:
        found.append(("trace", f"{run.trace_file.name} (maslin trace info, or maslin trace export --perfetto)"))
    found += [(f"file: {what.replace('_', ' ')}", PurePath(str(path)).name) for what, path in result["files"].items()]
    return [(what, value) for what, value in found if value not in (None, "")]


def render(run: Run) -> str:
    """Gives the whole page."""
    result = run.result
    return TEMPLATES.get_template("page.html").render(
        title=PurePath(result["alignment"]["file"]).name, style_sheet=style_sheet(), facts=facts(run), cards=cards(run),
        result=result, of_chains=run.chains, burnin=result.get("generations", {}).get("burnin"), tree=run.tree, trace=run.trace,
        notes=run.notes, sized=result.get("right_sizing"), pairs=pairs(run),
        script=(HERE / "page.js").read_text(encoding="utf-8"))
