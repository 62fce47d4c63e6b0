/** How mail leaves, and what the log reports it. */
import { expect, test } from 'vitest';
import { startGateway } from '../test/gateway.ts';
import { logged, mailbox } from '../test/mailbox.ts';

const REDIRECT = 'http://localhost:3000/reset';
const id = expect.any(String);
const ON_ITS_WAY = 'If there is such an account, a link to reset its password is on its way';

/** What starting a reset writes to the log. */
async function logOfReset(setup: Parameters<typeof startGateway>[1], redirectUrl = REDIRECT) {
  const gateway = await startGateway('Read', setup);
  const { username } = gateway.user;
  const told: unknown[] = [];
  const lines = await logged(async () => {
    const body = { email: username, redirectUrl };
    const reply = await gateway.call('POST', '/auth/password/reset', body, '');
    expect(reply.status).toBe(200);
    told.push((reply.body as { message: string }).message);
    await gateway.settle();
  });
  return { lines, username, told };
}

const line = (level: string, message: string) => ({
  time: expect.any(String),
  level,
  program: 'worker',
  message,
  request_id: id,
});

test('the local server without a mailer logs address and link as one line', async () => {
  const { lines, username, told } = await logOfReset({ bindings: { LOCAL_SERVER: 'true' } });
  expect(told).toEqual([ON_ITS_WAY]);
  const link = expect.stringMatching(/^http:\/\/localhost:3000\/reset\?token=[\w-]{43}$/);
  expect(lines).toEqual([{ ...line('info', 'password reset'), mail_to: username, link }]);
});

test('any other server without a mailer says so in reply and log, and tells neither address nor link', async () => {
  const { lines, told } = await logOfReset({ bindings: { RESET_REDIRECT_URLS: REDIRECT } });
  expect(told).toEqual(['No link was sent: this gateway has no mailer (MAIL_URL)']);
  expect(lines).toEqual([line('warn', 'mail not sent: no mailer is configured (MAIL_URL)')]);
});

test('a local server with a mailer logs nothing', async () => {
  const { setup, delivered } = mailbox();
  const bindings = { ...setup.bindings, LOCAL_SERVER: 'true' };
  const { lines } = await logOfReset({ ...setup, bindings }, 'https://app.test/reset');
  expect([lines, delivered.length]).toEqual([[], 1]);
});

test.each([301, 400, 500])(
  'a mail service that answers %i is logged by that alone',
  async (status) => {
    const { lines } = await logOfReset(mailbox(status).setup, 'https://app.test/reset');
    expect(lines).toEqual([{ ...line('error', 'mail not sent'), status }]);
  },
);

test('a mail service that cannot be reached is logged without address and link', async () => {
  const fetch = (request: Request) => Promise.reject(new TypeError(`cannot reach ${request.url}`));
  const { lines } = await logOfReset({ ...mailbox().setup, fetch }, 'https://app.test/reset');
  expect(lines).toEqual([{ ...line('error', 'mail not sent'), reason: 'TypeError' }]);
});
