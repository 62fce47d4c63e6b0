/** Types of ClickHouse's, in lower case; of names with spaces the last word, which is before a parenthesis. Source: system.data_type_families of 26.9. */

/** They look like functions and are not. */
export const TYPES = `
  aggregatefunction array bfloat16 bigint binary bit blob bool boolean byte bytea char character
  clob date date32 datetime datetime32 datetime64 dec decimal decimal128 decimal256 decimal32
  decimal64 double dynamic enum enum16 enum8 fixed fixedstring float float32 float64 geometry
  inet4 inet6 int int1 int128 int16 int256 int32 int64 int8 integer intervalday intervalhour
  intervalmicrosecond intervalmillisecond intervalminute intervalmonth intervalnanosecond
  intervalquarter intervalsecond intervalweek intervalyear ipv4 ipv6 json linestring longblob
  longtext lowcardinality map mediumblob mediumint mediumtext multilinestring multipoint
  multipolygon nchar nested nothing nullable numeric nvarchar object point polygon precision qbit
  real ring set signed simpleaggregatefunction single smallint string text time time64 timestamp
  tinyblob tinyint tinytext tuple uint128 uint16 uint256 uint32 uint64 uint8 unsigned uuid
  varbinary varchar varchar2 variant varying year`;
