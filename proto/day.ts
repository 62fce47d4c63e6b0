/** Days of the calendar, where an engine would take 30 February for 1 March. */

/** Whether `YYYY-MM-DD` is a day that there is. Source: RFC 3339 §5.7. */
export function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${text}T`);
}
