/** Ways on which a document passes through a workflow to an endpoint, as it was written. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';

/** Sends on what an event carries. */
export const FOLLOWER = {
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

/** How a way reaches the gateway and the endpoint `web` behind it. */
interface Reach {
  /** Sends JSON with POST; a run that it starts goes on by itself. */
  send(path: string, sent: string): Promise<string>;
  store(sent: string): Promise<string>;
  get(path: string): Promise<string>;
  /** The body of the next request that arrives at the endpoint. */
  arrives(): Promise<string>;
}

/** Each sends a document next to a filler, and answers the text as which it arrives. */
export function workflowWays({ send, store, get, arrives }: Reach) {
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
  };
}
