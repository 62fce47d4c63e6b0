/** Which form a reply has, by all that `Accept` takes. */
import { describe, expect, test } from 'vitest';
import { failure } from '../test/gateway.ts';
import { bytes, startRunning } from '../test/running.ts';

const QUERY = { query: 'select 1' };

test.each(['text/*', 'text/*;q=0.2, application/json;q=0'])('%s takes CSV', async (Accept) => {
  const forms: string[] = [];
  const gateway = await startRunning({
    async *runStream({ rowForm }) {
      forms.push(rowForm);
      yield { chunk: bytes('id\r\n1\r\n') };
    },
  });
  const response = await gateway.post('/read', QUERY, { Accept });
  expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
  expect(await response.text()).toBe('id\r\n1\r\n');
  expect(forms).toEqual(['csv']);
});

describe('events alone, of a request that is no subscription', () => {
  test('are not to be had, and nothing is sent', async () => {
    const sent: unknown[] = [];
    const gateway = await startRunning({
      run(call) {
        sent.push(call);
        return { result: bytes('{}') };
      },
    });
    const message = 'Accept takes none of the forms of this reply: this request answers no events';
    for (const Accept of ['text/event-stream', 'text/event-stream, application/json;q=0']) {
      expect(await gateway.ask('/read', QUERY, { Accept })).toEqual({
        status: 406,
        body: failure('NOT_ACCEPTABLE', message, [{ path: 'Accept', message }]),
      });
    }
    expect(sent).toEqual([]);
  });

  test('are left for JSON where that is taken, too', async () => {
    const gateway = await startRunning({ run: () => ({ result: bytes('{"a":1}') }) });
    for (const Accept of ['text/event-stream, application/json', 'text/event-stream, */*']) {
      expect(await gateway.ask('/read', QUERY, { Accept })).toMatchObject({
        status: 200,
        body: { data: { a: 1 } },
      });
    }
  });
});

test('results without columns come as JSON where that is taken, too', async () => {
  const request = { type: 'get', key: 'a' };
  const endpoint = { kind: 'redis', config: { write_conn: { url: 'redis://db.test' } } };
  const run = () => ({ result: bytes('{"result":"b"}') });
  const gateway = await startRunning({ run }, { endpoint });
  const Accept = 'text/csv, application/json;q=0.5';
  expect(await gateway.ask('/read', request, { Accept })).toMatchObject({
    status: 200,
    body: { data: { result: 'b' } },
  });
});
