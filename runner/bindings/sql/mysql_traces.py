"""Which reads leave nothing in a session of MySQL or MariaDB that outlives their transaction.

A function may set a variable or a mode, take a lock or leave a number that the next call reads. So
a read is taken for harmless only where all that it calls is known to be, by the text alone; what
is called out of sight, a view's functions, the server is asked for. All else costs a reset.
"""

import re
from collections.abc import Callable
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HARMLESS: Final = _words(
    """AVG BIT_AND BIT_OR BIT_XOR COUNT GROUP_CONCAT JSON_ARRAYAGG JSON_OBJECTAGG MAX MIN STD STDDEV
    STDDEV_POP STDDEV_SAMP SUM VAR_POP VAR_SAMP VARIANCE CUME_DIST DENSE_RANK FIRST_VALUE LAG
    LAST_VALUE LEAD NTH_VALUE NTILE PERCENT_RANK RANK ROW_NUMBER ABS ACOS ASIN ATAN ATAN2 CEIL
    CEILING CONV COS COT CRC32 DEGREES EXP FLOOR GREATEST LEAST LN LOG LOG10 LOG2 MOD PI POW POWER
    RADIANS RAND ROUND SIGN SIN SQRT TAN TRUNCATE ASCII BIN BIT_COUNT BIT_LENGTH CHAR CHAR_LENGTH
    CHARACTER_LENGTH CONCAT CONCAT_WS ELT EXPORT_SET FIELD FIND_IN_SET FORMAT FROM_BASE64 HEX INSERT
    INSTR LCASE LEFT LENGTH LOCATE LOWER LPAD LTRIM MAKE_SET MID OCT OCTET_LENGTH ORD POSITION QUOTE
    REGEXP_INSTR REGEXP_REPLACE REGEXP_SUBSTR REPEAT REPLACE REVERSE RIGHT RPAD RTRIM SOUNDEX SPACE
    STRCMP SUBSTR SUBSTRING SUBSTRING_INDEX TO_BASE64 TRIM UCASE UNHEX UPPER WEIGHT_STRING ADDDATE
    ADDTIME CONVERT_TZ CURDATE CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURTIME DATE DATE_ADD
    DATE_FORMAT DATE_SUB DATEDIFF DAY DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR EXTRACT FROM_DAYS
    FROM_UNIXTIME GET_FORMAT HOUR LAST_DAY LOCALTIME LOCALTIMESTAMP MAKEDATE MAKETIME MICROSECOND
    MINUTE MONTH MONTHNAME NOW PERIOD_ADD PERIOD_DIFF QUARTER SEC_TO_TIME SECOND STR_TO_DATE SUBDATE
    SUBTIME SYSDATE TIME TIME_FORMAT TIME_TO_SEC TIMEDIFF TIMESTAMP TIMESTAMPADD TIMESTAMPDIFF
    TO_DAYS TO_SECONDS UNIX_TIMESTAMP UTC_DATE UTC_TIME UTC_TIMESTAMP WEEK WEEKDAY WEEKOFYEAR YEAR
    YEARWEEK CAST CONVERT COALESCE IF IFNULL ISNULL NULLIF INTERVAL MD5 SHA SHA1 SHA2 AES_DECRYPT
    AES_ENCRYPT COMPRESS UNCOMPRESS UNCOMPRESSED_LENGTH JSON_ARRAY JSON_ARRAY_APPEND
    JSON_ARRAY_INSERT JSON_CONTAINS JSON_CONTAINS_PATH JSON_DEPTH JSON_EXTRACT JSON_INSERT JSON_KEYS
    JSON_LENGTH JSON_MERGE_PATCH JSON_MERGE_PRESERVE JSON_OBJECT JSON_OVERLAPS JSON_QUOTE
    JSON_REMOVE JSON_REPLACE JSON_SEARCH JSON_SET JSON_TABLE JSON_TYPE JSON_UNQUOTE JSON_VALID
    JSON_VALUE INET_ATON INET_NTOA INET6_ATON INET6_NTOA BENCHMARK CHARSET COERCIBILITY COLLATION
    CONNECTION_ID CURRENT_USER DATABASE SCHEMA SESSION_USER SYSTEM_USER USER VERSION SLEEP UUID
    UUID_SHORT DEFAULT VALUES ST_ASGEOJSON ST_ASTEXT ST_ASWKB ST_CONTAINS ST_DISTANCE
    ST_DISTANCE_SPHERE ST_GEOMFROMGEOJSON ST_GEOMFROMTEXT ST_INTERSECTS ST_SRID ST_WITHIN ST_X ST_Y
    POINT AGAINST MATCH"""
)
"""The functions of both servers that change nothing of a session: their own documentation."""
_RESERVED: Final = _words(
    """ALL AND AS BETWEEN BINARY BY CASE CHAR DECIMAL DISTINCT DIV ELSE EXCEPT EXISTS FOR FROM
    FULLTEXT GROUP HAVING IN INDEX INT INTERSECT IS JOIN KEY LIKE LIMIT NOT NULL ON OR OVER
    PARTITION REGEXP RLIKE SELECT THEN UNION USING VARBINARY VARCHAR WHEN WHERE WITH XOR"""
)
"""Words behind which a bracket calls nothing; no function can be named so."""
_BRACKET: Final = re.compile(r"(?:([.`]\s*)?([\w$]+)|([^\s\w$]))?\s*\(")
_OPERATORS: Final = frozenset("(,=<>!+-*/%|&^~")
_ODD_NAME: Final = re.compile(r"`[^`]*[^\w$ `][^`]*`")
NAMES_A_VIEW: Final = b"""SELECT EXISTS (
SELECT 1 FROM information_schema.tables WHERE table_schema = database() AND table_type = 'VIEW'
AND locate(concat(' ', table_name, ' '), ?)) OR EXISTS (
SELECT 1 FROM information_schema.schemata WHERE schema_name <> coalesce(database(), '')
AND locate(concat(' ', schema_name, ' '), ?)) AS found"""
"""Whether one of the words is a view, or another schema, whose tables are not looked at."""


def calls_the_known_alone(text: str) -> bool:
    """Every bracket of the text belongs to what is known to be harmless; no variable is named.

    What stands in texts and comments counts too, which at worst costs a reset.
    """
    if "@" in text or _ODD_NAME.search(text):
        return False
    return all(map(_is_harmless, _BRACKET.finditer(text)))


def _is_harmless(found: re.Match[str]) -> bool:
    qualified, word, sign = found.groups()
    if word is not None:
        return qualified is None and word.upper() in _HARMLESS | _RESERVED
    return sign in _OPERATORS and not (sign == "/" and found.string[found.start() - 1] == "*")


def words_of(text: str) -> str:
    """The words between blanks, for `NAMES_A_VIEW`."""
    words = "".join(char if char.isalnum() or char in "_$" else " " for char in text)
    return f" {words} "


class Traces:
    """What is known of the texts of one connection."""

    def __init__(self, ask: Callable[[str], bool]) -> None:
        """`ask` is told the words of a text and says whether one of them is a view."""
        self._ask = ask
        self._known: dict[str, bool] = {}

    def leaves(self, text: str) -> bool:
        """A read of this text may leave something behind."""
        known = self._known.get(text)
        if known is None:
            known = not calls_the_known_alone(text) or self._ask(words_of(text))
            if len(self._known) >= _KNOWN_TEXTS:
                self._known.pop(next(iter(self._known)))
            self._known[text] = known
        return known

    def is_known(self, text: str) -> bool:
        """`leaves` asks nobody."""
        return text in self._known


_KNOWN_TEXTS: Final = 512
