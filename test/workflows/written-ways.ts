/** Ways on which a document passes through a workflow to an endpoint, as it was written. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { checkedFetch } from '../openapi/checked-fetch.ts';

/** Sends on what an event carries. */
const FOLLOWER = {
  name: 'follower',
  trigger: {
    type: 'event',
    source: 'written',
    event: 'sent',
    filter: 'data.passes',
    mapping: { document: '$.data.document' },
  },
  actions: [
    {
      id: 'send',
      type: 'endpoint',
      endpoint: 'web',
      operation: 'write',
      input: { method: 'POST', body: '$.input.document' },
    },
  ],
};

/** Answers what it was sent, and fails where it is told to. */
const ECHO = {
  name: 'echo',
  trigger: { type: 'api', synchronous: true, authentication: { required: false } },
  input: { schema: { type: 'object', properties: { fails: { type: 'boolean' } } } },
  actions: [
    { id: 'pass', type: 'condition', condition: 'true', output: '$.input.document', true: 'end' },
    { id: 'end', type: 'condition', condition: '$.input.fails ? JSON.parse("") : true' },
  ],
  output: '$.actions.pass.output',
  errorHandler: { deadLetterQueue: { enabled: true, includeState: true } },
};

/** Sends on what its callback brings, once it has told its address. */
const CALLED_BACK = {
  name: 'called-back',
  actions: [
    {
      ...{ id: 'tell', type: 'endpoint', endpoint: 'web', operation: 'write', next: 'back' },
      input: { method: 'POST', body: { url: '$.actions.back.url' } },
    },
    { id: 'back', type: 'wait', mode: 'callback', next: 'send' },
    {
      ...{ id: 'send', type: 'endpoint', endpoint: 'web', operation: 'write' },
      input: { method: 'POST', body: '$.actions.back.output' },
    },
  ],
};

/** What the ways lead through. */
export const WORKFLOWS = [FOLLOWER, ECHO, CALLED_BACK];

/** How a way reaches the gateway and the endpoint `web` behind it. */
interface Reach {
  /** Sends JSON with POST; a run that it starts goes on by itself. */
  send(path: string, sent: string): Promise<string>;
  store(sent: string): Promise<string>;
  get(path: string): Promise<string>;
  /** The body of the next request that arrives at the endpoint. */
  arrives(): Promise<string>;
  /** Address of the organization's hooks. */
  hooks(): string;
}

/** Sends JSON without a token. */
async function sendOpenly(url: string, body: string) {
  const headers = { 'Content-Type': 'application/json' };
  const reply = await checkedFetch(url, { method: 'POST', headers, body });
  return [reply.status, await reply.text()] as const;
}

/** Each sends a document next to a filler, and answers the text as which it arrives. */
export function workflowWays(reach: Reach) {
  return { ...sentOn(reach), ...shown(reach) };
}

function sentOn({ send, store, get, arrives }: Reach) {
  return {
    'an event': async (each: string, filler: string) => {
      const arrived = arrives();
      const data = `{"document":${each},"filler":"${filler}","passes":true}`;
      await send(
        '/events',
        `{"source":"written","event":"sent","id":"${randomUUID()}","data":${data}}`,
      );
      return arrived;
    },
    'a definition': async (each: string) => {
      const name = `w-${randomUUID().slice(0, 8)}`;
      const action = `{"id":"send","type":"endpoint","endpoint":"web","operation":"write","input":{"method":"POST","body":${each}}}`;
      await store(`{"name":"${name}","actions":[${action}]}`);
      expect(await get(`/workflows/${name}`)).toContain(each);
      const arrived = arrives();
      await send(`/workflows/${name}`, '{}');
      return arrived;
    },
    'a callback': async (each: string) => {
      const told = arrives();
      await send('/workflows/called-back', '{}');
      const { url } = JSON.parse(await told) as { url: string };
      const arrived = arrives();
      const call = async () => (await sendOpenly(url, each))[0];
      // It is told before the run has come to wait.
      await expect.poll(call, { timeout: 5_000 }).toBe(200);
      return arrived;
    },
  };
}

function shown({ send, get, hooks }: Reach) {
  const started = async (each: string, filler: string, fails: boolean) => {
    const sent = `{"document":${each},"filler":"${filler}","fails":${fails}}`;
    const { run_id: run } = JSON.parse(await send('/workflows/echo?synchronous=false', sent)) as {
      run_id: string;
    };
    const path = `/workflows/echo/executions/${run}`;
    const status = async () => (JSON.parse(await get(path)) as { status: string }).status;
    await expect.poll(status, { timeout: 5_000 }).toBe(fails ? 'failed' : 'succeeded');
    return { path, run };
  };
  /** What stands behind a member of that name, as far as the document goes. */
  const after = (text: string, name: string, each: string) => {
    const from = text.indexOf(`"${name}":`) + name.length + 3;
    return text.slice(from, from + each.length);
  };
  return {
    'the record of a run, and of an action': async (each: string, filler: string) => {
      const { path } = await started(each, filler, false);
      const record = await get(path);
      const page = await get(`${path}/actions`);
      expect(after(page, 'output', each)).toBe(each);
      expect(after(record.slice(record.indexOf('"actions"')), 'output', each)).toBe(each);
      return after(record, 'output', each);
    },
    'events of a run': async (each: string, filler: string) => {
      const { path } = await started(each, filler, false);
      const events = await get(`${path}/events`);
      expect(after(events.slice(events.indexOf('event: run')), 'output', each)).toBe(each);
      return after(events, 'output', each);
    },
    'a dead letter': async (each: string) => {
      const { run } = await started(each, '', true);
      const letters = await get('/workflows/echo/dead-letters?limit=1');
      expect(letters).toContain(run);
      expect(after(letters, 'pass', each)).toBe(each);
      return after(letters, 'document', each);
    },
    'a start without a token': async (each: string) => {
      const sent = `{"document":${each},"fails":false}`;
      const [status, reply] = await sendOpenly(`${hooks()}/echo`, sent);
      expect([status, reply]).toEqual([200, reply]);
      return after(reply, 'output', each);
    },
  };
}
