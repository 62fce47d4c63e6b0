/** What members of several commands have in common. */

/** When a value goes: `{EX: 60}`, `{EX: {seconds: 60}}`. */
export const EXPIRY =
  'EX{seconds:i@EX}|PX{milliseconds:i@PX}|EXAT{unix_time_seconds:i@EXAT}|PXAT{unix_time_milliseconds:i@PXAT}';

/** Of a distance. */
export const UNIT = 'unit(M|KM|MI|FT)';
