"""grain/crowded: right-sizing where others want the CPUs, too, or where there are more workers than CPUs.

One program of each family of bench/unseen runs beside one and two processes that do nothing but compute, on 16 workers, in control groups
with quotas of 0.5 to 1.5 CPUs, and as two copies at a time, which share the node or do not. pinned: `auto`, cold / the same under the
best pinned configuration of one worker a CPU. openmp: `auto`, cold / the same by OpenMP at its best setting there, with as many threads
as Maslin has workers. A ratio is the median over the programs of their medians. With --aside the programs are some that `auto` was not
tuned on; without, `alignment` is among them, whose streams have neither loops nor off-loads. Checked: each run's answer is the serial one, to the last bit, and each program's own check."""

from __future__ import annotations

from unseen import crowded
from unseen.programs import PUT_ASIDE, TUNED_ON

from ..row import Row
from . import Plan

NAME = "grain/crowded"


def measure(plan: Plan) -> list[Row]:
    prefix = f"{NAME}/{'aside' if plan.aside else 'tuned-on'}"
    names = crowded.one_a_family(PUT_ASIDE) if plan.aside else [*crowded.one_a_family(TUNED_ON), "alignment"]
    crowds = [crowd for crowd in crowded.CROWDS if plan.wants(f"{prefix}/{crowd.name}")]
    return list(crowded.measure(prefix, names, plan.looks[:1], plan.tell, crowds=crowds))
