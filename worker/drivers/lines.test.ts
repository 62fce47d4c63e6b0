/** Which way a call takes to a node of several parts. */
import { env } from 'cloudflare:test';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PART_HEADER, partOf } from '../../proto/parts.ts';
import { relayInMemory } from '../test/gateway.ts';
import { answer, contextOf } from '../test/nodes.ts';
import { startDeadline } from './deadline.ts';
import { callRelay } from './relay.ts';

/** A relay that says who it is, and whose call it was. */
const named = (name: string) => ({
  run: (_: unknown, { requestHeader }: { requestHeader: Headers }) =>
    answer(`${name} ${requestHeader.get(PART_HEADER)}`),
});

/** Calls a node for a subject; what answered. */
async function reached(
  subject: { organization: string; endpoint: string },
  { isDefault, parts }: { isDefault: boolean; parts: number },
): Promise<string> {
  const { ctx } = contextOf({ url: named('url') });
  const bound = Array.from({ length: parts }, (_, index) => [
    `RELAY_PART_${index}`,
    relayInMemory(named(`part ${index}`)),
  ]);
  const bindings = { ...env, RELAY: relayInMemory(named('port')), ...Object.fromEntries(bound) };
  const context = { ...ctx, env: bindings };
  const publicKey = JSON.parse(env.RELAY_NODE_PUBLIC_KEY);
  const node = { uuid: 'node', url: 'http://url.test', publicKey, default: isDefault };
  const deadline = startDeadline(context, 1_000);
  const connection = () => Promise.reject(new Error('It is not asked for'));
  const plan = { nodes: [node], subject, writes: false, deadline, connection };
  try {
    const { result } = await callRelay(context, plan, ({ relay, options }) =>
      relay.run({}, options),
    );
    return new TextDecoder().decode(result);
  } finally {
    deadline.end();
  }
}

const Subject = fc.record({ organization: fc.uuid(), endpoint: fc.uuid() });

test('a call to the default node goes to the part of its organization', async () => {
  await fc.assert(
    fc.asyncProperty(Subject, fc.integer({ min: 1, max: 4 }), async (subject, parts) => {
      const { organization } = subject;
      expect(await reached(subject, { isDefault: true, parts })).toBe(
        `part ${partOf(organization, parts)} ${organization}`,
      );
    }),
    { numRuns: 20 },
  );
});

test('where parts cannot be reached by themselves the node is told whose call it is', async () => {
  const subject = { organization: crypto.randomUUID(), endpoint: crypto.randomUUID() };
  expect(await reached(subject, { isDefault: true, parts: 0 })).toBe(
    `port ${subject.organization}`,
  );
});

test("a node of one organization is told the endpoint's name", async () => {
  const subject = { organization: crypto.randomUUID(), endpoint: crypto.randomUUID() };
  expect(await reached(subject, { isDefault: false, parts: 2 })).toBe(`url ${subject.endpoint}`);
});
