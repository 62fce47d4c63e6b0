/** What comes without a token: deliveries to webhooks, right, wrong and large, and starts by anyone. */
import { createHmac } from 'node:crypto';
import { BODY_BYTES, filled, type Operation, post } from './operation.ts';
import { type Call, demand, type Tenant } from './tenants.ts';

const SECRET = 'a secret of the measurement';
const HEADER = 'X-Signature';
const WAIT = { id: 'wait', type: 'wait', mode: 'duration', duration: 'PT1S' };
const HOOK = {
  id: 'hooked',
  name: 'Hooked',
  trigger: {
    type: 'webhook',
    path: 'hooked',
    authentication: { type: 'hmac', header: HEADER, secret: SECRET },
    mapping: { a: '$.body.a' },
  },
  actions: [WAIT],
};
const OPEN = {
  id: 'open',
  name: 'Open',
  trigger: { type: 'api', authentication: { required: false } },
  input: { schema: { type: 'object' } },
  actions: [WAIT],
};

const sign = (body: string | Buffer) =>
  `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;

/** Of a tenant's own; each call is made once. */
function to(path: string, body: string | Buffer, headers: Call['headers'] = {}) {
  return ({ id }: Tenant): Call => ({
    method: 'POST',
    path: `/hooks/${id}/${path}`,
    body,
    headers,
    authorization: '',
  });
}

const ready = new WeakSet<Tenant>();

/** Once for all operations of a tenant. */
const setUp: Operation['setUp'] = async (tenant, over) => {
  if (ready.has(tenant)) return;
  ready.add(tenant);
  for (const each of [HOOK, OPEN]) {
    await demand(tenant, post('/workflows', JSON.stringify(each)), over);
  }
};

const SMALL = '{"a":1}';

/** Almost 10 MiB, with its signature; made when it is first asked for. */
const large = once(() => {
  const body = filled(['{"a":1,"x":[', ']}'], () => '12345678901234567890', BODY_BYTES - 10);
  return { body, signature: sign(body) };
});

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export const hookOperations: readonly Operation[] = [
  { name: 'signed deliveries', setUp, call: to('hooked', SMALL, { [HEADER]: sign(SMALL) }) },
  { name: 'deliveries signed wrongly', setUp, call: to('hooked', SMALL, { [HEADER]: sign('') }) },
  { name: 'deliveries without a signature', setUp, call: to('hooked', SMALL) },
  { name: 'deliveries to no webhook', call: to('nothing', SMALL) },
  { name: 'starts by anyone', setUp, call: to('open', SMALL) },
  {
    name: 'signed deliveries of 10 MiB',
    setUp,
    call: (tenant) => to('hooked', large().body, { [HEADER]: large().signature })(tenant),
  },
  {
    name: 'deliveries of 10 MiB signed wrongly',
    setUp,
    call: (tenant) => to('hooked', large().body, { [HEADER]: sign('') })(tenant),
  },
];
