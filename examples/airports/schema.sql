-- Airports of the United States.
CREATE TABLE airports (
  iata      TEXT PRIMARY KEY,
  name      TEXT NOT NULL,
  city      TEXT,
  state     TEXT,
  country   TEXT NOT NULL,
  latitude  REAL NOT NULL,
  longitude REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX airports_by_state ON airports (state, city);
CREATE INDEX airports_by_place ON airports (latitude, longitude);
