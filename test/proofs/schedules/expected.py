"""The ticks of schedules by croniter and zoneinfo: one case a line in, the digest of its ticks out."""
import hashlib, json, sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo
from croniter import CroniterBadDateError, croniter

UTC = timezone.utc
DAY = timedelta(days=1)


def instant_of(wall, zone):
    """The first instant at which a clock shows that; of a time that never comes, the end of the gap."""
    first = wall.replace(tzinfo=zone, fold=0)
    instant = first.astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) == wall:
        return int(instant.timestamp())
    before, after = first.utcoffset(), wall.replace(tzinfo=zone, fold=1).utcoffset()
    low = int((wall - max(before, after)).replace(tzinfo=UTC).timestamp())
    high = int((wall - min(before, after)).replace(tzinfo=UTC).timestamp())
    start = datetime.fromtimestamp(low, zone).utcoffset()
    while high - low > 1:
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == start:
            low = middle
        else:
            high = middle
    return high


def ticks_of(case):
    zone = ZoneInfo(case["zone"])
    since, until = case["from"] // 1000, case["until"] // 1000
    # From the day before: on a clock that never changes.
    wall = datetime.fromtimestamp(since, zone).replace(tzinfo=None) - DAY
    lines = croniter(case["line"], wall, second_at_beginning=True, max_years_between_matches=12)
    found, last = [], since
    while True:
        try:
            wall = lines.get_next(datetime)
        except CroniterBadDateError:
            return found  # No further day is like that.
        instant = instant_of(wall, zone)
        if instant > until:
            return found
        if instant > last:
            found.append(instant)
            last = instant


for text in sys.stdin:
    ticks = ticks_of(json.loads(text))
    digest = hashlib.sha256(",".join(map(str, ticks)).encode()).hexdigest()
    print(json.dumps({"count": len(ticks), "digest": digest, "first": ticks[:400]}), flush=True)
