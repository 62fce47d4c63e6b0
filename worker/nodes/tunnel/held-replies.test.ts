/** The tunnels of many nodes share one memory, and who leaves it to others keeps what they have. */
import { describe, expect, test } from 'vitest';
import { Budget } from '../../../proto/tunnel/budget.ts';
import { CallingEnd, type Serve, ServingEnd } from '../../../proto/tunnel/end.ts';
import { exchange } from './exchange.ts';
import { HeldReplies } from './held-replies.ts';

const MIB = 1024 * 1024;
/** A quarter of what holds for nodes, for the sake of time. */
const NODE_BYTES = 6 * MIB;
const MAX = 12 * MIB;
/** Parts that are kept with the head of their message. */
const HEADS = 4 * 1024;
const LARGE = (MIB * 5) / 16;
const SUM = LARGE + MIB / 2;
const PART = new Uint8Array(16 * 1024).fill(7);

/** A node of an organization, whose relay answers each call with `size` bytes, as fast as the tunnel takes them. */
function nodeOf(organization: string, replies: HeldReplies, size: number) {
  const serve: Serve = (call) => {
    const answer = async () => {
      call.head({ status: 200, headers: {} });
      for (let sent = 0; sent < size; sent += PART.byteLength) await call.write(PART.slice());
      call.end();
    };
    return { data() {}, end: () => void answer(), broken() {} };
  };
  const wire = (to: () => { receive(message: Uint8Array): void }) => ({
    send: (message: Uint8Array) => void queueMicrotask(() => to().receive(message.slice())),
    close(reason: string) {
      throw new Error(reason);
    },
    soon: (work: () => void) => queueMicrotask(work),
  });
  const gateway: CallingEnd = new CallingEnd(
    wire(() => relay),
    new Budget(NODE_BYTES),
    1,
    () => {},
  );
  const relay: ServingEnd = new ServingEnd(
    wire(() => gateway),
    new Budget(NODE_BYTES),
    serve,
  );
  return (signal?: AbortSignal) =>
    exchange(new Request('http://node/method', signal ? { signal } : {}), gateway, {
      organization,
      replies,
      later: queueMicrotask,
    });
}

/** How much of a reply can be read. */
async function sizeOf(reply: Response): Promise<number | 'broken off'> {
  return reply.arrayBuffer().then(
    ({ byteLength }) => byteLength,
    () => 'broken off' as const,
  );
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

describe('replies that nobody reads', () => {
  test('of fifteen nodes that each fill their share are never more than the bound', async () => {
    const held = new HeldReplies(MAX);
    const neighbour = nodeOf('neighbour', held, 2 * MIB);
    const slow = await neighbour();
    const replies: Response[] = [];
    const most: number[] = [];
    for (let node = 0; node < 15; node += 1) {
      const call = nodeOf(`organization-${node % 5}`, held, MIB);
      // Together they are sent as much as their node may hold.
      for (let at = 0; at < 40; at += 1) replies.push(await call());
      await turn();
      most.push(held.bytes);
    }
    expect(Math.max(...most)).toBeLessThanOrEqual(MAX);
    expect(Math.max(...most)).toBeGreaterThan(0.9 * MAX);
    // Who holds little loses nothing, and calls that are read are served, of any organization.
    expect(await sizeOf(slow)).toBe(2 * MIB);
    expect(await sizeOf(await neighbour())).toBe(2 * MIB);
    expect(await sizeOf(await nodeOf('organization-0', held, 2 * MIB)())).toBe(2 * MIB);
    const sizes = await Promise.all(replies.map(sizeOf));
    const whole = sizes.filter((size) => size === MIB);
    expect(sizes.filter((size) => size !== 'broken off')).toEqual(whole);
    expect(whole.length).toBeGreaterThan(30);
    expect(whole.length).toBeLessThan(sizes.length);
    expect(held.bytes).toBe(0);
  });

  test('the organization that holds most loses its largest one, even one that had come whole', async () => {
    const held = new HeldReplies(SUM + HEADS);
    const small = await nodeOf('few', held, MIB / 4)();
    const many = nodeOf('many', held, MIB / 4);
    const large = await nodeOf('many', held, LARGE)();
    await turn();
    const last = await many();
    await turn();
    expect(held.bytes - SUM).toBeLessThan(HEADS);
    expect(held.bytes).toBeGreaterThanOrEqual(SUM);
    const more = await nodeOf('few', held, MIB / 8)();
    await turn();
    expect(await sizeOf(large)).toBe('broken off');
    for (const reply of [small, last]) expect(await sizeOf(reply)).toBe(MIB / 4);
    expect(await sizeOf(more)).toBe(MIB / 8);
    expect(held.bytes).toBe(0);
  });

  test('one whose client has left is forgotten', async () => {
    const held = new HeldReplies(MAX);
    const client = new AbortController();
    const reply = await nodeOf('own', held, MIB / 4)(client.signal);
    await turn();
    expect(held.bytes).toBeGreaterThanOrEqual(MIB / 4);
    client.abort();
    expect(held.bytes).toBe(0);
    expect(await sizeOf(reply)).toBe('broken off');
    const cancelled = await nodeOf('own', held, MIB / 4)();
    await turn();
    await cancelled.body?.cancel();
    expect(held.bytes).toBe(0);
  });
});
