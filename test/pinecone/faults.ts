/** What an index may do instead of answering, and what the caller is then told. */
import { expect } from 'vitest';
import { type Reply, refusal } from '../organization.ts';
import type { Failing } from '../stand-ins/pinecone/index.ts';

const lost = 'The connection was lost after the request was sent: it may have taken effect';
const late = 'The deadline passed after the request was sent: it may have taken effect';
/** Details of a refusal by the index. */
export const told = (code: string, message: string) => [{ source: 'pinecone', code, message }];
/** A request that changes nothing. */
export const READ = { type: 'describe_index_stats' };
/** A request that may. */
export const WRITE = { type: 'delete', body: { ids: ['none'] } };

/** Which request meets what, and the whole reply. */
export const FAULTS: readonly (readonly [
  name: string,
  failing: Failing,
  body: object,
  reply: Reply,
])[] = [
  [
    'a refusal',
    { status: 400, body: '{"code":3,"message":"no such http://10.0.0.1/x","details":[]}' },
    READ,
    refusal('REQUEST_FAILED', 'no such address', told('3', 'no such address')),
  ],
  [
    'a refusal in the other form',
    { status: 404, body: '{"status":404,"error":{"code":"NOT_FOUND","message":"gone"}}' },
    WRITE,
    refusal('REQUEST_FAILED', 'gone', told('NOT_FOUND', 'gone')),
  ],
  [
    'a page of a proxy',
    { status: 404, body: '<html>secret.internal</html>' },
    READ,
    refusal('REQUEST_FAILED', 'HTTP status 404', told('404', 'HTTP status 404')),
  ],
  [
    'a refused key',
    { status: 401, body: 'Unauthorized' },
    WRITE,
    refusal('CONNECTION_FAILED', 'Unable to connect to database: the API key was refused'),
  ],
  [
    'a key that may not',
    { status: 403, body: '{"code":7,"message":"pcsk_stand-in may not","details":[]}' },
    READ,
    refusal('CONNECTION_FAILED', 'Unable to connect to database: the API key was refused'),
  ],
  [
    'a limit of the vendor',
    { status: 429, body: '{"code":8,"message":"slow down"}', headers: { 'Retry-After': '7' } },
    WRITE,
    refusal(
      'SERVICE_UNAVAILABLE',
      'The index takes no more requests for the moment',
      told('8', 'slow down'),
    ),
  ],
  [
    'an index that is not available',
    { status: 503, body: '' },
    READ,
    refusal('SERVICE_UNAVAILABLE', 'The index is not available'),
  ],
  [
    'a failure of a read',
    { status: 500, body: '{"code":13,"message":"x"}' },
    READ,
    refusal('CONNECTION_FAILED', 'Unable to connect to database: the index failed'),
  ],
  [
    'a failure of a write',
    { status: 500, body: '{"code":13,"message":"x"}' },
    WRITE,
    refusal('OUTCOME_UNKNOWN', 'The index failed after the write was sent', told('13', 'x')),
  ],
  [
    'a redirect, which is not followed',
    { status: 302, body: '', headers: { Location: 'http://127.0.0.1:1/' } },
    READ,
    refusal(
      'CONNECTION_FAILED',
      'Unable to connect to database: the server did not answer as an index of Pinecone does',
    ),
  ],
  [
    'what is no JSON',
    { status: 200, body: '{"a":1},"more":{' },
    READ,
    refusal(
      'CONNECTION_FAILED',
      'Unable to connect to database: the server did not answer as an index of Pinecone does',
    ),
  ],
  [
    'a write of which the connection was lost',
    { cut: 'after' },
    WRITE,
    refusal('OUTCOME_UNKNOWN', lost),
  ],
  [
    'a write that was not answered in time',
    'silence',
    { ...WRITE, timeout_ms: 1_500 },
    refusal('OUTCOME_UNKNOWN', late),
  ],
  [
    'a read that was not answered in time',
    'silence',
    { ...READ, timeout_ms: 1_500 },
    refusal('TIMED_OUT', expect.any(String)),
  ],
];
