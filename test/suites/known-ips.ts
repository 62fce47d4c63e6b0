/**
 * Loaded by Bun before the tests of the rate limiter: they fetch a list of addresses from a public
 * repository, which a test run without network cannot; here it is a list of a thousand.
 */
const LIST = 'https://raw.githubusercontent.com/stamparm/ipsum/';
const ADDRESSES = Array.from({ length: 1_000 }, (_, n) => `198.18.${n >> 8}.${n & 255}`).join('\n');

const real = globalThis.fetch;
const known = async (...[input, init]: Parameters<typeof globalThis.fetch>): Promise<Response> => {
  const url = input instanceof Request ? input.url : String(input);
  return url.startsWith(LIST) ? new Response(ADDRESSES) : real(input, init);
};
globalThis.fetch = Object.assign(known, real);
