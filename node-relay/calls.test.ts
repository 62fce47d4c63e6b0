/** What a caller is told whose call was ended before its time. */
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../proto/errors.ts';
import { PART_HEADER } from '../proto/parts.ts';
import { Calls } from './calls.ts';
import { createLog } from './log.ts';
import { failureOf } from './test/relay.ts';

const late = new GatewayError('TIMED_OUT', 'The deadline passed before the backend answered');
/** What drivers throw when they are told to stop. */
const THROWN: readonly (readonly [string, (reason: unknown) => unknown])[] = [
  ['the reason', (reason) => reason],
  ['that their time is up', () => late],
  ['an error of their own', () => new Error('closed')],
];

function someCalls(): Calls {
  return new Calls({
    admission: { admit: () => {} },
    log: createLog({ logFormat: 'json', logLevel: 'debug' }, { write: () => true }),
    metrics: { call: () => {} },
  });
}

/** A call that lasts until it is stopped. */
function lastingCall(calls: Calls, thrown: (reason: unknown) => unknown): Promise<unknown> {
  const context = {
    signal: new AbortController().signal,
    timeoutMs: () => 20_000,
    requestHeader: new Headers({ [PART_HEADER]: crypto.randomUUID() }),
  };
  return calls.unary('Run', context, (signal) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(thrown(signal.reason)));
    return promise;
  });
}

describe.each(THROWN)('a call whose driver throws %s', (_, thrown) => {
  test('is told that the node has no memory left', async () => {
    const calls = someCalls();
    const ended = failureOf(lastingCall(calls, thrown));
    calls.shed();
    expect(await ended).toMatchObject({
      message: 'The node has no memory left for the calls of this organization',
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  test('is told that the node stops', async () => {
    const calls = someCalls();
    const ended = failureOf(lastingCall(calls, thrown));
    calls.abort();
    expect(await ended).toMatchObject({
      message: 'The node is stopping',
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});

test('a write that may have taken effect says so, whatever ended it', async () => {
  const calls = someCalls();
  const unknown = new GatewayError('OUTCOME_UNKNOWN', 'lost');
  const ended = failureOf(lastingCall(calls, () => unknown));
  calls.shed();
  expect(await ended).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
});
