import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../proto/errors.ts';
import { ErrorDetailSchema } from '../../proto/gen/relay/v1/relay_pb.ts';
import { codeOf, contextOf, refusal } from '../test/nodes.ts';

describe('what a failure means for a read and for a write', () => {
  test.each<[string, ConnectError, ErrorCode, ErrorCode]>([
    [
      'a deadline that the relay says nothing of',
      refusal(Code.DeadlineExceeded),
      'TIMED_OUT',
      'OUTCOME_UNKNOWN',
    ],
    ['a relay that breaks down', refusal(Code.Internal), 'NODE_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
    [
      'a relay that is told to go',
      refusal(Code.Unavailable),
      'NODE_UNAVAILABLE',
      'OUTCOME_UNKNOWN',
    ],
    ['an older relay', refusal(Code.Unimplemented), 'NODE_UNAVAILABLE', 'NODE_UNAVAILABLE'],
    [
      'a refusal without a code',
      refusal(Code.InvalidArgument),
      'NODE_UNAVAILABLE',
      'OUTCOME_UNKNOWN',
    ],
    [
      'a demand for the connection that was sent',
      refusal(Code.FailedPrecondition, 'CONNECTION_UNKNOWN'),
      'NODE_UNAVAILABLE',
      'OUTCOME_UNKNOWN',
    ],
    [
      'a code of a newer relay',
      refusal(Code.Unknown, 'NOT_YET_KNOWN'),
      'NODE_UNAVAILABLE',
      'OUTCOME_UNKNOWN',
    ],
    [
      'a failure that the relay names',
      refusal(Code.NotFound, 'SESSION_NOT_FOUND'),
      'SESSION_NOT_FOUND',
      'SESSION_NOT_FOUND',
    ],
  ])('%s', async (_, failure, onRead, onWrite) => {
    const gateway = contextOf({
      a: {
        run() {
          throw failure;
        },
      },
    });
    expect([await codeOf(gateway.run(false)), await codeOf(gateway.run(true))]).toEqual([
      onRead,
      onWrite,
    ]);
  });

  test('details are the relay’s own; text of a failure without a code of ours is not told', async () => {
    const details = [{ source: 'postgres', code: '42P01', message: 'no such table' }];
    const value = { code: 'REQUEST_FAILED', details: JSON.stringify(details) };
    const detail = { desc: ErrorDetailSchema, value };
    const failures = [
      new ConnectError('The backend refused', Code.InvalidArgument, undefined, [detail]),
      new ConnectError('connect ECONNREFUSED 10.0.0.5:5432', Code.Unavailable),
    ];
    const gateway = contextOf({
      a: {
        run() {
          throw failures.shift();
        },
      },
    });
    const told = [
      await gateway.run(false).catch((thrown: unknown) => thrown),
      await gateway.run(false).catch((thrown: unknown) => thrown),
    ];
    expect(told).toMatchObject([
      { code: 'REQUEST_FAILED', message: 'The backend refused', details },
      { message: 'No node that can serve the endpoint is available', details: [] },
    ]);
  });

  test('details that are no JSON are left out, and the failure stays what it is', async () => {
    const value = { code: 'REQUEST_FAILED', details: '[{' };
    const detail = { desc: ErrorDetailSchema, value };
    const gateway = contextOf({
      a: {
        run() {
          throw new ConnectError('The backend refused', Code.InvalidArgument, undefined, [detail]);
        },
      },
    });
    const told = await gateway.run(true).catch((thrown: unknown) => thrown);
    expect(told).toMatchObject({ code: 'REQUEST_FAILED', details: [] });
  });
});
