/** What an organization asks of its node: one call of each sort, and changes of data that the gateway follows by itself. */
import type { Organization } from '../../organization.ts';
import { placeOn } from '../../relay-node.ts';
import type { DishonestNode } from './node.ts';

/** The status of a reply that broke off before its head. */
export const BROKEN = 0;
/** Of a stream of events. */
export const EVENTS = 'text/event-stream';
/** Of rows, a line each. */
export const ROWS = 'application/x-ndjson';
/** Milliseconds after which whoever reads a stream of events has read enough. */
const EVENTS_MS = 300;
const READ = { query: 'select 1' };
const WRITE = { query: 'insert into t values (1)' };

/** Endpoints on the node, and a template on one of them. */
export async function prepare({ call }: Organization, node: DishonestNode): Promise<void> {
  node.answers = (method) =>
    method === 'Ping'
      ? { status: 200, type: 'application/proto', body: new Uint8Array() }
      : undefined;
  const made = async (path: string, body: unknown) => {
    const reply = await call('POST', path, body);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  };
  for (const [endpoint, kind, url] of [
    ['lies', 'postgres', 'postgresql://u:p@10.99.99.99:5432/db'],
    ['more', 'postgres', 'postgresql://u:p@10.99.99.99:5432/more'],
    ['documents', 'mongo', 'mongodb://u:p@10.99.99.99:27017/db'],
  ] as const) {
    const once = endpoint === 'lies' ? { once: {} } : {};
    const config = { write_conn: { url }, vpn_route: node.uuid, ...once };
    await made('/endpoints', { endpoint, kind, config });
    await placeOn(call, endpoint, node.uuid);
  }
  const template = { endpoint: 'lies', ...READ };
  await made('/templates', { id: 'asks', request: 'Read', template });
}

/** What was asked, and what was answered. */
export interface Called {
  readonly what: string;
  readonly status: number;
  readonly text: string;
  readonly type: string;
}

type Sent = readonly [string, string, unknown?, Readonly<Record<string, string>>?];

/** All that is asked in a case, at the same time. */
export async function callsOf(organization: Organization, at: number): Promise<Called[]> {
  const ask = (...sent: Sent) => sentTo(organization, sent);
  const ndjson = { Accept: ROWS };
  const calls: readonly Sent[] = [
    ['POST', '/endpoints/lies/read', READ],
    ['POST', '/endpoints/lies/read', READ, ndjson],
    ['POST', '/endpoints/lies/write', WRITE],
    ['POST', '/endpoints/lies/write', WRITE, { 'Idempotency-Key': `case-${at}` }],
    ['POST', '/endpoints/lies/transaction', { operations: [WRITE] }],
    ['POST', '/endpoints/lies/sessions', {}],
    ['POST', '/endpoints/lies/test'],
    ['POST', '/templates/asks', {}],
    ['POST', '/transactions', { operations: [{ endpoint: 'lies', ...WRITE }] }],
    [
      ...(['POST', '/transactions'] as const),
      { operations: ['lies', 'more'].map((endpoint) => ({ endpoint, ...WRITE })) },
    ],
    ['GET', `/endpoints/lies/schema?limit=${1 + (at % 1_000)}`],
    [
      ...(['POST', '/endpoints/documents/read', { type: 'watch', collection: 'a' }] as const),
      { Accept: EVENTS },
    ],
  ];
  const all = await Promise.all([
    ...calls.map(async (sent) => [await ask(...sent)]),
    interactive(ask),
    following(ask, `follows-${at}`),
  ]);
  return all.flat();
}

type Ask = (...sent: Sent) => Promise<Called>;

/** A transaction that is gone on with, and committed. */
async function interactive(ask: Ask): Promise<Called[]> {
  const begun = await ask('POST', '/transactions/begin');
  const { transaction_id: id = '' } = JSON.parse(begun.text) as Record<string, string>;
  const inside = { 'X-Transaction-Id': id };
  const written = await ask('POST', '/endpoints/lies/write', WRITE, inside);
  const read = await ask('POST', '/endpoints/lies/read', READ, inside);
  return [begun, written, read, await ask('POST', `/transactions/${id}/commit`)];
}

/** A workflow that follows changes, for a moment. */
async function following(ask: Ask, id: string): Promise<Called[]> {
  const stored = await ask('POST', '/workflows', {
    ...{ id, name: id },
    trigger: { type: 'dataChange', endpoint: 'documents', collection: 'customers' },
    actions: [{ id: 'done', type: 'condition', condition: 'true', true: null, false: null }],
  });
  const runs = await ask('GET', `/workflows/${id}/executions`);
  const triggers = await ask('GET', `/workflows/${id}/triggers`);
  return [stored, runs, triggers, await ask('DELETE', `/workflows/${id}`)];
}

async function sentTo(
  { token, gateway }: Organization,
  [method, path, body, more]: Sent,
): Promise<Called> {
  const what = `${method} ${path}`;
  // biome-ignore lint/style/noRestrictedGlobals: a node may name a code that another operation has; what is told is looked at here.
  const reply = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...more,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: Error) => `${cause.cause ?? cause}`);
  if (typeof reply === 'string') return { what, status: BROKEN, text: reply, type: '' };
  const type = reply.headers.get('Content-Type')?.split(';')[0] ?? '';
  const text =
    type === EVENTS ? await eventsOf(reply) : await reply.text().catch(() => 'broke off');
  return { what, status: reply.status, text, type };
}

/** The first events. */
async function eventsOf({ body }: Response): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  const timer = setTimeout(() => void reader?.cancel().catch(() => {}), EVENTS_MS);
  let text = '';
  try {
    for (let got = await reader?.read(); got && !got.done; got = await reader?.read()) {
      text += got.value;
    }
  } catch {
    // Broken off is what a stream of a node that lies may be.
  } finally {
    clearTimeout(timer);
  }
  return text;
}
