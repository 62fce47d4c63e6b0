/** What the two sides of a tunnel owe each other: how it begins and ends, and what breaks the rules. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Budget } from './budget.ts';
import type { Call } from './call.ts';
import { CALLS_MAX, CallingEnd } from './end.ts';
import { decode, encode, type Frame } from './frame.ts';
import { byHand, echo, Heard, headOf, pairOf } from './test/pair.ts';

const MIB = 1024 * 1024;

describe('a tunnel', () => {
  test('answers a ping, with calls in flight or none', async () => {
    const pair = pairOf(echo);
    const first = pair.gateway.ping();
    pair.deliver();
    await first;
    pair.gateway.call(headOf(), new Heard());
    const second = pair.gateway.ping();
    pair.deliver();
    await second;
    expect([pair.wires.gateway.closed, pair.wires.relay.closed]).toEqual([undefined, undefined]);
  });

  test('takes no pings from a relay, whose answers it may never read', () => {
    const pair = pairOf(echo);
    pair.gateway.receive(encode([{ type: 'ping', nonce: 1 }]));
    pair.wires.gateway.settle();
    expect([pair.wires.gateway.closed, pair.wires.gateway.messages]).toEqual([
      'A relay sends no pings',
      [],
    ]);
  });

  test('that is lost ends its calls: those that were told of are lost, others were not begun', () => {
    const { calls, serve } = byHand();
    const pair = pairOf(serve);
    const told = new Heard();
    pair.gateway.call(headOf(), told);
    pair.deliver();
    const untold = new Heard();
    pair.gateway.call(headOf(), untold);
    pair.gateway.closed();
    pair.relay.closed();
    expect([told.how, untold.how, calls[0]?.heard.how]).toEqual(['lost', 'refused', 'lost']);
    expect([pair.gateway.size, pair.relay.size]).toEqual([0, 0]);
  });

  test('with a ping of the same number in its way does not take a call for one that was not begun', () => {
    const pair = pairOf(byHand().serve);
    const told = new Heard();
    pair.gateway.call(headOf(), told);
    pair.deliver();
    void pair.gateway.ping();
    pair.gateway.closed();
    expect(told.how).toBe('lost');
  });

  test('goes on with a gateway that remembers nothing: what there was is over', () => {
    const { calls, serve } = byHand();
    const pair = pairOf(serve);
    pair.gateway.call(headOf('/old'), new Heard());
    pair.deliver();
    calls[0]?.call.head({ status: 200, headers: {} });
    void calls[0]?.call.write(new Uint8Array(300_000));
    // Its reply is on its way when the gateway's object is made again.
    pair.relay.receive(encode([{ type: 'pong', nonce: 1 }]));
    const wire = { ...pair.wires.gateway, soon: (work: () => void) => work() };
    const sent: Uint8Array[] = [];
    const closed: string[] = [];
    const woken = new CallingEnd(
      {
        send: (message) => void sent.push(message),
        close: (reason) => void closed.push(reason),
        soon: wire.soon,
      },
      new Budget(MIB),
      2,
      () => {},
    );
    const heard = new Heard();
    pair.wires.relay.settle();
    woken.call(headOf('/new'), heard).end();
    for (const message of pair.wires.relay.messages.splice(0)) woken.receive(message);
    for (const message of sent.splice(0)) pair.relay.receive(message);
    calls[1]?.call.head({ status: 204, headers: {} });
    calls[1]?.call.end();
    pair.wires.relay.settle();
    for (const message of pair.wires.relay.messages.splice(0)) woken.receive(message);
    expect(calls[0]?.heard.how).toBe('lost');
    expect([heard.status, heard.hasEnded, heard.bytes]).toEqual([204, true, 0]);
    expect([closed, woken.size, pair.relay.size]).toEqual([[], 0, 0]);
  });

  test('whose relay leaves refuses new calls and finishes those it has', () => {
    const { calls, serve } = byHand();
    const pair = pairOf(serve);
    const before = new Heard();
    pair.gateway.call(headOf(), before).end();
    pair.deliver();
    pair.relay.leave();
    const crossing = new Heard();
    pair.gateway.call(headOf(), crossing).end();
    pair.deliver();
    calls[0]?.call.head({ status: 200, headers: {} });
    calls[0]?.call.end();
    pair.deliver();
    expect([pair.seen.goneAway, crossing.how, before.hasEnded]).toEqual([true, 'refused', true]);
    expect(calls).toHaveLength(1);
  });

  test(`has at most ${CALLS_MAX} calls in flight, and says of others that they were not begun`, () => {
    const { calls, serve } = byHand();
    const pair = pairOf(serve);
    for (let call = 0; call < CALLS_MAX; call += 1) pair.gateway.call(headOf(), new Heard());
    const heard = new Heard();
    pair.gateway.call(headOf(), heard);
    pair.deliver();
    expect([calls.length, heard.how]).toEqual([CALLS_MAX, 'refused']);
  });
});

describe('a relay that breaks the rules', () => {
  const head = { status: 200, headers: {} };
  const data = (call: number, length = 10): Frame => ({
    type: 'data',
    call,
    bytes: new Uint8Array(length),
  });
  const START: Frame = { type: 'start', epoch: 1 };
  test.each<[string, Frame[], string]>([
    [
      'begins a call',
      [{ type: 'open', call: 1, credit: 1, head: headOf() }],
      'A relay begins no calls',
    ],
    ['sends a body before its head', [data(1)], 'A frame of type data is out of order in call 1'],
    [
      'ends what has no head',
      [{ type: 'end', call: 1 }],
      'A frame of type end is out of order in call 1',
    ],
    [
      'sends a second head',
      [
        { type: 'head', call: 1, head },
        { type: 'head', call: 1, head },
      ],
      'A frame of type head is out of order in call 1',
    ],
    [
      'sends more after the end',
      [{ type: 'head', call: 1, head }, { type: 'end', call: 1 }, data(1)],
      'A frame of type data is out of order in call 1',
    ],
    ['answers a call that was not begun', [data(7)], 'Call 7 was never begun'],
    [
      'answers a call that both have ended',
      [{ type: 'reset', call: 1, code: 'failed' }, data(1)],
      'A frame of type data is for call 1, which has ended',
    ],
    [
      'sends more than was asked for',
      [{ type: 'head', call: 1, head }, ...Array.from({ length: 33 }, () => data(1, 32 * 1024))],
      'Call 1 was sent more than was asked for',
    ],
    [
      'has received more than was sent',
      [{ type: 'window', call: 0, credit: 1 }],
      'More bytes are said to have arrived than were sent',
    ],
  ])('%s: the tunnel ends and says why', (_, frames, reason) => {
    const pair = pairOf(byHand().serve);
    const heard = new Heard();
    pair.gateway.call(headOf(), heard);
    pair.deliver();
    for (const frame of [START, ...frames]) pair.gateway.receive(encode([frame]));
    expect([pair.wires.gateway.closed, pair.gateway.isClosed, pair.gateway.size]).toEqual([
      reason,
      true,
      0,
    ]);
    expect(heard.how ?? 'ended').toMatch(/^(lost|failed|ended)$/);
  });
});

describe('a gateway that breaks the rules', () => {
  const open = (call: number): Frame => ({ type: 'open', call, credit: 1, head: headOf() });
  test.each<[string, Frame[], string]>([
    ['begins without a start', [open(1)], 'A frame about a call came before the start'],
    ['goes away', [{ type: 'goaway' }], 'A gateway does not say that it goes away'],
    [
      'begins a call twice',
      [{ type: 'start', epoch: 1 }, open(2), open(2)],
      'Call 2 was begun before',
    ],
    [
      'begins one of before',
      [{ type: 'start', epoch: 1 }, open(2), open(1)],
      'Call 1 was begun before',
    ],
    [
      'sends a head',
      [
        { type: 'start', epoch: 1 },
        open(1),
        { type: 'head', call: 1, head: { status: 200, headers: {} } },
      ],
      'A frame of type head is out of order in call 1',
    ],
    [
      'ends twice',
      [{ type: 'start', epoch: 1 }, open(1), { type: 'end', call: 1 }, { type: 'end', call: 1 }],
      'A frame of type end is out of order in call 1',
    ],
  ])('%s: the tunnel ends and says why', (_, frames, reason) => {
    const pair = pairOf(byHand().serve);
    for (const frame of frames) pair.relay.receive(encode([frame]));
    expect([pair.wires.relay.closed, pair.relay.isClosed]).toEqual([reason, true]);
  });
});

test('whatever either side is sent, it goes on or ends with a reason, and holds what it may', () => {
  const runs = 1_000;
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.nat(50) });
  const event = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...(['gateway', 'relay', 'call', 'leave'] as const)) },
    { weight: 1, arbitrary: change },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
  );
  let faults = 0;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.boolean(), (events, atRelay) => {
      const pair = pairOf(echo, MIB);
      const victim = atRelay ? pair.relay : pair.gateway;
      const wire = atRelay ? pair.wires.gateway : pair.wires.relay;
      attack(pair, atRelay, events);
      const { closed } = atRelay ? pair.wires.relay : pair.wires.gateway;
      if (closed !== undefined) faults += 1;
      expect(victim.isClosed).toBe(closed !== undefined);
      if (victim.isClosed) expect(victim.size).toBe(0);
      expect(victim.size).toBeLessThanOrEqual(CALLS_MAX);
      for (const message of wire.messages) expect(decode(message).length).toBeGreaterThan(0);
    }),
    { numRuns: runs },
  );
  expect(faults).toBeGreaterThan(runs / 10);
});

type Spoiled = { readonly at: number; readonly byte: number; readonly cut: number };
type Attack = 'gateway' | 'relay' | 'call' | 'leave' | Uint8Array | Spoiled;

/** Has calls come and go, and one side be sent messages that were changed, or never written by anyone. */
function attack(
  pair: ReturnType<typeof pairOf>,
  atRelay: boolean,
  events: readonly Attack[],
): void {
  const victim = atRelay ? pair.relay : pair.gateway;
  const wire = atRelay ? pair.wires.gateway : pair.wires.relay;
  const calls: Call[] = [];
  const acts = {
    gateway: () => pair.step('gateway'),
    relay: () => pair.step('relay'),
    call() {
      if (pair.gateway.isClosed) return;
      const call = pair.gateway.call(headOf(), new Heard());
      void call.write(new Uint8Array(5_000));
      call.end();
      calls.push(call);
    },
    leave: () => calls.pop()?.reset('cancelled'),
  };
  const spoil = ({ at, byte, cut }: Spoiled) => {
    const message = wire.messages.shift()?.slice();
    if (message === undefined) return;
    message[at % message.byteLength] = byte;
    victim.receive(message.subarray(0, Math.max(1, message.byteLength - cut)));
  };
  for (const each of events) {
    if (typeof each === 'string') acts[each]();
    else if (each instanceof Uint8Array) victim.receive(each);
    else spoil(each);
  }
}
