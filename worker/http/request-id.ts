/** The id that names one request in replies, logs, audit entries and calls to relays. */

/** Contract: "Request id". */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The client's own id when it is 1 to 128 visible ASCII characters, else a new one. */
export function requestIdOf(headers: Pick<Headers, 'get'>): string {
  const given = headers.get('X-Request-Id');
  return given !== null && ACCEPTABLE.test(given) ? given : crypto.randomUUID();
}
