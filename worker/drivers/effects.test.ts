/** What a request knows of its own effects, once a call has ended. */
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { answer, codeOf, contextOf, refusal } from '../test/nodes.ts';

test.each([
  ['a write that ended well', true, 'none', true],
  ['a write that was refused', true, 'REQUEST_FAILED', false],
  ['a read', false, 'none', false],
])('of %s a request remembers whether it took effect', async (_what, writes, code, written) => {
  const gateway = contextOf({
    a: {
      run() {
        if (code !== 'none') throw refusal(Code.InvalidArgument, code);
        return answer('rows');
      },
    },
  });
  expect(await codeOf(gateway.run(writes))).toBe(code);
  expect(gateway.ctx.effects).toEqual({ written, asked: [] });
});
