/** Bare workers that do, one after another, what the gateway must do with a request and its reply. */
import { FORWARD } from '../baseline.ts';

/** A worker of the ladder: all that those before it do, and one thing more. */
interface Step {
  readonly name: string;
  /** ES module. */
  readonly script: string;
}

/** What the steps before the last have in common: how a request is sent on, and what becomes of the reply. */
interface Parts {
  /** Statements ahead of the request that is sent on. */
  readonly before?: string;
  readonly body: string;
  readonly more?: string;
  /** Statements behind it. */
  readonly after?: string;
  readonly reply: string;
}

const IN = `'X-Request-Id': 'r', 'X-Organization': 'o', 'X-Endpoint': 'e', Authorization: 'Bearer t'`;
const OUT = [
  `'X-Request-Id': 'r', 'X-Response-Time': '1', 'X-Backend-Time': '1', 'X-Content-Type-Options': 'nosniff'`,
  `'Cache-Control': 'no-store', 'RateLimit-Limit': '1', 'RateLimit-Remaining': '1', 'RateLimit-Reset': '1', Vary: 'Accept'`,
].join(', ');
const JSON_TYPE = `'Content-Type': 'application/json'`;

const READ = 'await request.arrayBuffer()';
const BUILT = `new Response(await reply.arrayBuffer(), { headers: { ${JSON_TYPE} } })`;
const BUILT_WITH_HEADERS = `new Response(await reply.arrayBuffer(), { headers: { ${JSON_TYPE}, ${OUT} } })`;
const SIGNAL = 'signal: stop.signal,';
const STOP = 'const stop = new AbortController();';
const TIMER = `${STOP} const timer = setTimeout(() => stop.abort(), 30000);`;

function worker({ before = '', body, more = '', after = '', reply }: Parts): string {
  return `export default {
    async fetch(request, env) {
      ${before}
      const reply = await env.BACKEND.fetch('http://backend/', { method: 'POST', body: ${body}, ${more} });
      ${after}
      return ${reply};
    },
  };`;
}

const headers = `headers: { ${JSON_TYPE}, ${IN} },`;

/** From the bare one upwards. */
export const STEPS: readonly Step[] = [
  { name: 'forward', script: FORWARD },
  { name: 'body read and sent again', script: worker({ body: READ, reply: 'reply' }) },
  { name: 'reply read and built again', script: worker({ body: READ, reply: BUILT }) },
  {
    name: 'four more headers in and nine more out',
    script: worker({ body: READ, more: headers, reply: BUILT_WITH_HEADERS }),
  },
  {
    name: 'an AbortController',
    script: worker({
      before: STOP,
      body: READ,
      more: `${headers} ${SIGNAL}`,
      reply: BUILT_WITH_HEADERS,
    }),
  },
  {
    name: 'a timer set and cleared',
    script: worker({
      before: TIMER,
      body: READ,
      more: `${headers} ${SIGNAL}`,
      after: 'clearTimeout(timer);',
      reply: BUILT_WITH_HEADERS,
    }),
  },
  {
    name: 'parse, stringify and a UUID',
    script: worker({
      before: `${TIMER} const body = JSON.parse(await request.text()); crypto.randomUUID();`,
      body: 'JSON.stringify(body)',
      more: `${headers} ${SIGNAL}`,
      after: 'clearTimeout(timer);',
      reply: BUILT_WITH_HEADERS,
    }),
  },
];
