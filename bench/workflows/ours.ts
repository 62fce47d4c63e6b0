/** The gateway with the workflows that are measured. */
import { type MeasuredGateway, makeOrganization, startGateway } from '../gateway.ts';

/** Runs that happen many at a time. */
const AT_ONCE = 32;

const template = (id: string, n: string, next: string | null) => ({
  ...{ id, type: 'template', template: 'increment', input: { n }, next },
});
const command = (
  id: string,
  request: object,
  operation: 'read' | 'write',
  next: string | null,
) => ({
  ...{ id, type: 'endpoint', endpoint: 'measured', operation, input: request, next },
});

const DEFINITIONS = [
  {
    name: 'pure',
    actions: [
      template('one', '$.input.n', 'two'),
      template('two', '$.actions.one.output.n', 'three'),
      template('three', '$.actions.two.output.n', null),
    ],
  },
  {
    name: 'redis',
    actions: [
      command(
        'store',
        { type: 'set', key: '$.input.key', value: '$.input.value' },
        'write',
        'load',
      ),
      command('load', { type: 'get', key: '$.input.key' }, 'read', 'measure'),
      command('measure', { type: 'get', key: '$.input.key' }, 'read', null),
    ],
  },
  {
    name: 'many',
    actions: [
      {
        id: 'each',
        type: 'loop',
        collection: '$.input.items',
        action: template('step', '$.item', null),
        aggregation: { sum: '$.results.reduce((sum, each) => sum + each.n, 0)' },
      },
    ],
  },
  { name: 'waiting', actions: [{ id: 'wait', type: 'wait', mode: 'callback' }] },
];

/** The gateway, and calls to it. */
export interface Ours extends MeasuredGateway {
  /** Calls below `/api/v1`; the reply's body. @throws Error for a status of 400 and more */
  call(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<{ [member: string]: unknown }>;
  /** Starts so many runs of a workflow; answers when all are stored. */
  startMany(workflow: string, count: number): Promise<void>;
}

/** Starts it with an endpoint on Redis. @param onLog as of `startGateway` */
export async function startOurs(redisUrl: string, onLog?: (line: string) => void): Promise<Ours> {
  return withWorkflows(await startGateway(redisUrl, { kind: 'redis', onLog }));
}

/** The same gateway as another organization sees it. */
export async function beside(ours: Ours, redisUrl: string): Promise<Ours> {
  const token = await makeOrganization(ours.port, redisUrl, 'redis', 'beside');
  return withWorkflows({ ...ours, headers: { Authorization: `Bearer ${token}` } });
}

async function withWorkflows(gateway: MeasuredGateway): Promise<Ours> {
  const call: Ours['call'] = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/api/v1${path}`, {
      method,
      headers: { ...gateway.headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as { [member: string]: unknown }; // All operations answer objects.
  };
  await call('POST', '/templates', {
    id: 'increment',
    name: 'Increment',
    transformationRules: [{ target: 'n', expression: 'n + 1' }],
  });
  for (const definition of DEFINITIONS) await call('POST', '/workflows', definition);
  return {
    ...gateway,
    call,
    async startMany(workflow, count) {
      let left = count;
      const keepStarting = async () => {
        while (left-- > 0) await call('POST', `/workflows/${workflow}`, {});
      };
      await Promise.all(Array.from({ length: AT_ONCE }, keepStarting));
    },
  };
}
