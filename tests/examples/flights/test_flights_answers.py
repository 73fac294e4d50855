"""The flights: every tool gives, on every engine, what the package's own data frames give."""

import pandas
import pytest

from tests.examples.flights.frames import (
    Frames,
    clock,
    date,
    instant,
    known,
    listed,
    mean,
    percent,
    quotient,
    whole,
)
from tests.examples.talking import Row, Talk, texts

MONTHS = [None, 2, 7]
ORIGINS = [None, "EWR", "LGA"]
KEY = ["time_hour", "carrier", "flight"]


def part(frames: Frames, **wanted: object) -> "pandas.DataFrame":
    """The flights whose columns have these values; None is any."""
    flights = frames.flights
    for column, value in wanted.items():
        if value is not None:
            flights = flights[flights[column] == value]
    return flights


def paged(talk: Talk, tool: str, **arguments: object) -> list[Row]:
    """The rows of all pages."""
    found: list[Row] = []
    page: Row = {"next": None}
    while "next" in page:
        page = talk.give(tool, **arguments, cursor=page["next"])
        assert isinstance(page["rows"], list)
        assert page["truncated"] is ("next" in page)
        found += page["rows"]
    return found


@pytest.mark.parametrize("limit", [7, 200])
def test_pages_give_every_flight_once_and_in_order(talk: Talk, frames: Frames, limit: int) -> None:
    flights = part(frames, carrier="UA", origin="EWR", dest="SFO", month=7)
    chosen = flights[flights.day <= 14].sort_values(KEY)
    rows = paged(
        talk,
        "search_flights",
        carrier="UA",
        origin="EWR",
        dest="SFO",
        from_date="2013-07-01",
        to_date="2013-07-14",
        limit=limit,
    )
    assert len(rows) > 100
    assert rows == [listed(row) for _, row in chosen.iterrows()]


@pytest.mark.parametrize("fate", ["any", "arrived", "cancelled", "diverted"])
def test_fates_are_told_apart(talk: Talk, frames: Frames, fate: str) -> None:
    flights = part(frames, origin="JFK")
    is_cancelled, has_arrived = flights.dep_time.isna(), flights.arr_delay.notna()
    chosen = {
        "any": flights,
        "arrived": flights[has_arrived],
        "cancelled": flights[is_cancelled],
        "diverted": flights[~is_cancelled & ~has_arrived],
    }[fate]
    counted = talk.ask("count_flights", origin="JFK", fate=fate)
    assert counted.structured_content == len(chosen)
    first = chosen.sort_values(KEY).head(20)
    assert talk.rows("search_flights", origin="JFK", fate=fate) == [
        listed(row) for _, row in first.iterrows()
    ]


def test_late_flights_are_found_by_their_delay(talk: Talk, frames: Frames) -> None:
    late = frames.flights[frames.flights.dep_delay >= 600].sort_values(KEY)
    assert paged(talk, "search_flights", min_delay=600, limit=9) == [
        listed(row) for _, row in late.iterrows()
    ]


@pytest.mark.parametrize(
    ("day", "carrier", "flight"),
    [
        ("2013-01-01", "UA", 1545),
        ("2013-01-01", "B6", 725),
        ("2013-02-09", "AA", 1),
        ("2013-12-31", "UA", 700),
        ("2013-07-27", "US", 1632),
    ],
    ids=["usual", "no airport known", "cancelled", "no weather known", "no plane known"],
)
def test_flight_has_its_plane_and_the_weather_of_its_hour(
    talk: Talk, frames: Frames, *, day: str, carrier: str, flight: int
) -> None:
    flights = part(frames, carrier=carrier, flight=flight)
    [(_, row)] = [(n, row) for n, row in flights.iterrows() if date(row) == day]
    weather = frames.weather.set_index(["origin", "time_hour"])
    airport = frames.airports.set_index("faa").name
    plane = frames.planes.set_index("tailnum").reindex([row.tailnum]).iloc[0]
    air = weather.reindex([(row.origin, row.time_hour)]).iloc[0]
    plain = ("temp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "visib")
    assert talk.give("get_flight", flight_date=day, carrier=carrier, flight=flight) == {
        **listed(row),
        "airline": frames.named(carrier),
        "origin_name": airport[row.origin],
        "dest_name": airport.get(row.dest),
        "distance": row.distance,
        "dep_time": clock(row.dep_time),
        "arr_time": clock(row.arr_time),
        "sched_arr_time": clock(row.sched_arr_time),
        "air_time": whole(row.air_time),
        "manufacturer": known(plane.manufacturer),
        "model": known(plane.model),
        "built": whole(plane.year),
        "seats": whole(plane.seats),
        **{name: known(air[name]) for name in plain},
    }


def test_flight_that_was_not_is_told_in_words(talk: Talk) -> None:
    told = talk.refusal("get_flight", flight_date="2013-01-02", carrier="UA", flight=9999)
    assert told == "UA 9999 was not to leave New York on 2013-01-02."


def by_month(frames: Frames, flights: "pandas.DataFrame") -> list[Row]:
    """What `delays_by_month` says, by airline and month."""
    return [
        {
            "carrier": carrier,
            "airline": frames.named(carrier),
            "month": month,
            "flights": len(group),
            "mean_dep_delay": mean(group.dep_delay),
            "mean_arr_delay": mean(group.arr_delay),
            "late_percent": percent((group.arr_delay > 15).sum(), group.arr_delay.count()),
        }
        for (carrier, month), group in flights.groupby(["carrier", "month"])
    ]


@pytest.mark.parametrize("carrier", [None, "B6", "OO"])
@pytest.mark.parametrize("origin", ORIGINS)
def test_delays_by_airline_and_month(
    talk: Talk, frames: Frames, carrier: str | None, origin: str | None
) -> None:
    expected = by_month(frames, part(frames, carrier=carrier, origin=origin))
    assert talk.rows("delays_by_month", carrier=carrier, origin=origin) == expected


def test_latest_months_come_first(talk: Talk, frames: Frames) -> None:
    def order(row: Row) -> tuple[object, ...]:
        late = row["mean_arr_delay"]
        return late is None, -float(str(late or 0)), row["carrier"], row["month"]

    expected = sorted(by_month(frames, frames.flights), key=order)
    assert talk.rows("delays_by_month", sort="latest") == expected


@pytest.mark.parametrize("days", ["all", "working_days", "weekends"])
@pytest.mark.parametrize("origin", ORIGINS)
def test_traffic_by_the_hour(talk: Talk, frames: Frames, days: str, origin: str | None) -> None:
    flights = part(frames, origin=origin)
    weekday = pandas.to_datetime(flights[["year", "month", "day"]]).dt.day_of_week
    chosen = {"all": weekday >= 0, "working_days": weekday < 5, "weekends": weekday >= 5}[days]
    assert talk.rows("hourly_profile", origin=origin, days=days) == [
        {
            "hour": hour,
            "flights": len(group),
            "cancelled": group.dep_time.isna().sum(),
            "mean_dep_delay": mean(group.dep_delay),
            "median_dep_delay": known(group.dep_delay.median()),
        }
        for hour, group in flights[chosen].groupby("hour")
    ]


@pytest.mark.parametrize("month", MONTHS)
@pytest.mark.parametrize("origin", ORIGINS)
def test_busiest_routes(talk: Talk, frames: Frames, month: int | None, origin: str | None) -> None:
    airport = frames.airports.set_index("faa").name
    routes: list[Row] = [
        {
            "origin": start,
            "dest": dest,
            "dest_name": airport.get(dest),
            "flights": len(group),
            "airlines": group.carrier.nunique(),
            "mean_arr_delay": mean(group.arr_delay),
        }
        for (start, dest), group in part(frames, month=month, origin=origin).groupby(
            ["origin", "dest"]
        )
    ]
    expected = sorted(
        routes, key=lambda row: (-int(str(row["flights"])), row["origin"], row["dest"])
    )
    assert talk.rows("busiest_routes", month=month, origin=origin, limit=300) == expected
    first = talk.give("busiest_routes", month=month, origin=origin, limit=5)
    assert first == {"rows": expected[:5], "truncated": True}


@pytest.mark.parametrize("by", ["wind", "temperature", "visibility", "precipitation"])
@pytest.mark.parametrize("origin", ORIGINS)
def test_weather_and_delay(talk: Talk, frames: Frames, by: str, origin: str | None) -> None:
    both = part(frames, origin=origin).merge(frames.weather, on=["origin", "time_hour"])
    step = {
        "wind": both.wind_speed // 10 * 10,
        "temperature": both.temp // 10 * 10,
        "visibility": both.visib // 1,
        "precipitation": (both.precip * 10) // 1 / 10,
    }[by]
    assert talk.rows("weather_and_delay", by=by, origin=origin) == [
        {
            "at_least": at_least,
            "flights": len(group),
            "mean_dep_delay": mean(group.dep_delay),
            "late_percent": percent((group.dep_delay > 15).sum(), group.dep_delay.count()),
            "cancelled_percent": percent(group.dep_time.isna().sum(), len(group)),
        }
        for at_least, group in both.groupby(step)
    ]


@pytest.mark.parametrize("by", ["delay", "cancelled"])
@pytest.mark.parametrize("origin", ORIGINS)
def test_worst_days(talk: Talk, frames: Frames, by: str, origin: str | None) -> None:
    days: list[Row] = [
        {
            "flight_date": date(group.iloc[0]),
            "flights": len(group),
            "cancelled": group.dep_time.isna().sum(),
            "mean_dep_delay": mean(group.dep_delay),
            "longest_dep_delay": whole(group.dep_delay.max()),
        }
        for _, group in part(frames, origin=origin).groupby(["month", "day"])
    ]
    measure = {"delay": "mean_dep_delay", "cancelled": "cancelled"}[by]
    expected = sorted(days, key=lambda row: -float(str(row[measure])))
    assert len(expected) == 365
    assert talk.rows("worst_days", by=by, origin=origin, limit=365) == expected


@pytest.mark.parametrize("minutes", [0, 15, 60])
@pytest.mark.parametrize("month", MONTHS)
def test_airlines_are_ranked_by_what_arrives_in_time(
    talk: Talk, frames: Frames, minutes: int, month: int | None
) -> None:
    arrived = part(frames, month=month).dropna(subset="arr_delay")
    counted = arrived.assign(in_time=arrived.arr_delay < minutes).groupby("carrier").in_time
    table = counted.agg(["count", "sum"]).query("count >= 50")
    table["place"] = (table["sum"] / table["count"]).rank(ascending=False, method="min")
    expected = [
        {
            "place": int(row["place"]),
            "carrier": carrier,
            "airline": frames.named(str(carrier)),
            "arrivals": int(row["count"]),
            "in_time_percent": percent(row["sum"], row["count"]),
        }
        for carrier, row in table.sort_values(["place", "carrier"]).iterrows()
    ]
    assert talk.rows("rank_airlines", minutes=minutes, month=month, at_least=50) == expected


@pytest.mark.parametrize("carrier", [None, "EV", "HA"])
def test_cancelled_flights_by_month_and_airport(
    talk: Talk, frames: Frames, carrier: str | None
) -> None:
    expected = [
        {
            "month": month,
            "origin": origin,
            "flights": len(group),
            "cancelled": group.dep_time.isna().sum(),
            "cancelled_percent": percent(group.dep_time.isna().sum(), len(group)),
        }
        for (month, origin), group in part(frames, carrier=carrier).groupby(["month", "origin"])
    ]
    result = talk.ask("cancelled_flights", carrier=carrier)
    assert result.structured_content == {"rows": expected, "truncated": False}
    lines = [",".join(str(value) for value in row.values()) for row in expected]
    head = "month,origin,flights,cancelled,cancelled_percent"
    assert texts(result)[0].splitlines() == [head, *lines]


@pytest.mark.parametrize("tailnum", ["N14228", "N3ALAA", "D942DN", "N0EGMQ"])
def test_plane_and_its_history(talk: Talk, frames: Frames, tailnum: str) -> None:
    flights = part(frames, tailnum=tailnum).sort_values(KEY)
    plane = frames.planes.set_index("tailnum").reindex([tailnum]).iloc[0]
    assert talk.give("get_plane", tailnum=tailnum) == {
        "tailnum": tailnum,
        "manufacturer": known(plane.manufacturer),
        "model": known(plane.model),
        "built": whole(plane.year),
        "engine": known(plane.engine),
        "seats": whole(plane.seats),
        "flights": len(flights),
        "destinations": flights.dest.nunique(),
        "miles": flights.distance.sum(),
        "hours_in_air": quotient(flights.air_time.sum(), 60),
        "first_flight": date(flights.iloc[0]),
        "last_flight": date(flights.iloc[-1]),
    }
    left_out = ("sched_dep_time", "tailnum")
    assert paged(talk, "plane_history", tailnum=tailnum, limit=25) == [
        {key: value for key, value in listed(row).items() if key not in left_out}
        for _, row in flights.iterrows()
    ]


@pytest.mark.parametrize(
    ("tailnum", "month", "day"), [("N11548", 2, 22), ("N12201", 3, 6), ("N14228", 1, 1)]
)
def test_delay_is_followed_through_a_day(
    talk: Talk, frames: Frames, *, tailnum: str, month: int, day: int
) -> None:
    flights = part(frames, tailnum=tailnum, month=month, day=day)
    legs = [listed(row) for _, row in flights.sort_values(["time_hour", "minute"]).iterrows()]
    expected: list[Row] = []
    before = None
    for leg in legs:
        departed, arrived = (
            None if leg[name] is None else int(str(leg[name]))
            for name in ("dep_delay", "arr_delay")
        )
        gone = {key: leg[key] for key in leg if key not in ("time_hour", "tailnum")}
        added = None if departed is None or before is None else departed - before
        in_air = None if departed is None or arrived is None else arrived - departed
        expected.append(
            {**gone, "delay_before": before, "added_before": added, "added_in_air": in_air}
        )
        before = arrived
    asked = f"2013-{month:02}-{day:02}"
    assert talk.rows("follow_plane", tailnum=tailnum, flight_date=asked) == expected


@pytest.mark.parametrize("query", ["inter", "SFO", "o'h", "%%", "county muni"])
def test_airports_are_found_by_name_or_code(talk: Talk, frames: Frames, query: str) -> None:
    airports = frames.airports
    words = query.lower()
    hits = airports.name.str.lower().str.contains(words, regex=False)
    hits |= airports.faa.str.lower().str.contains(words, regex=False)
    visits = frames.flights.dest.value_counts()
    found: list[Row] = [
        {
            **{name: known(row[name]) for name in ("faa", "name", "lat", "lon", "alt", "tzone")},
            "flights": int(visits.get(row.faa, 0)),
        }
        for _, row in airports[hits].iterrows()
    ]
    expected = sorted(found, key=lambda row: (-int(str(row["flights"])), row["faa"]))
    assert talk.rows("find_airports", query=query, limit=100) == expected[:100]


@pytest.mark.parametrize("carrier", [None, "AS", "VX"])
@pytest.mark.parametrize("origin", ORIGINS)
def test_destinations_are_listed_once(
    talk: Talk, frames: Frames, carrier: str | None, origin: str | None
) -> None:
    expected = sorted(part(frames, carrier=carrier, origin=origin).dest.unique())
    result = talk.ask("list_destinations", carrier=carrier, origin=origin)
    assert result.structured_content == expected


def test_export_has_every_column_of_the_frame(talk: Talk, frames: Frames) -> None:
    flights = part(frames, month=2, origin="LGA").sort_values(KEY)
    times = ("dep_time", "sched_dep_time", "arr_time", "sched_arr_time")
    expected = [
        {
            name: clock(value)
            if name in times
            else instant(value)
            if name == "time_hour"
            else known(value)
            for name, value in row.items()
        }
        for _, row in flights.iterrows()
    ]
    result = talk.ask("export_flights", month=2, origin="LGA")
    assert result.structured_content == {"rows": expected, "truncated": False}
    header, *lines = texts(result)[0].splitlines()
    assert header.split(",") == list(frames.flights.columns)
    assert len(lines) == len(expected)


def test_clients_own_query_runs(talk: Talk, frames: Frames) -> None:
    statement = """
        SELECT w.hour, count(*) AS flights FROM flights AS f
        JOIN weather AS w ON w.origin = f.origin AND w.time_hour = f.time_hour
        WHERE f.hour <> w.hour GROUP BY w.hour
    """
    assert talk.rows("query_flights", statement=statement) == []
    counted = talk.rows("query_flights", statement="SELECT count(*) AS n FROM weather")
    assert counted == [{"n": len(frames.weather)}]
