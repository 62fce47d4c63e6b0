/** Where a reset's link may lead. */
import { describe, expect, test } from 'vitest';
import { failure, startGateway } from '../test/gateway.ts';
import { linkTo } from './redirects.ts';

const LIST = { RESET_REDIRECT_URLS: 'https://app.test/reset,https://app.test/other?a=b' };
const LOCAL = { LOCAL_SERVER: 'true' };

async function statusOf(bindings: Record<string, string>, redirectUrl: string): Promise<number> {
  const gateway = await startGateway('Read', { bindings });
  const body = { email: 'nobody@example.com', redirectUrl };
  const reply = await gateway.call('POST', '/auth/password/reset', body, '');
  if (reply.status !== 200) {
    const message = 'is not one of the allowed URLs';
    const details = [{ path: 'redirectUrl', message }];
    expect(reply.body).toEqual(failure('BAD_REQUEST', `redirectUrl: ${message}`, details));
  }
  return reply.status;
}

describe('with a list', () => {
  test.each([
    ['https://app.test/reset', 200],
    ['https://APP.test:443/reset', 200],
    ['https://app.test/other?a=b', 200],
    ['https://app.test/other', 400],
    ['https://app.test/reset/../evil', 400],
    ['https://app.test/reset?next=https://evil.test', 400],
    ['https://app.test/reset#x', 400],
    ['https://app.test@evil.test/reset', 400],
    ['http://app.test/reset', 400],
    ['http://localhost/reset', 400],
    ['', 400],
  ])('%s: %i', async (url, status) => {
    expect(await statusOf({ ...LIST, ...LOCAL }, url)).toBe(status);
  });
});

describe('without a list, on a local server', () => {
  test.each([
    ['http://localhost:3000/reset', 200],
    ['https://127.0.0.1/reset', 200],
    ['http://127.1/reset', 200],
    ['http://[::1]:8080/', 200],
    ['http://user:pass@localhost/', 400],
    ['http://localhost.evil.test/', 400],
    ['http://evil.test/localhost', 400],
    ['http://0.0.0.0/', 400],
    ['javascript://localhost/%0aalert(1)', 400],
    ['/reset', 400],
  ])('%s: %i', async (url, status) => expect(await statusOf(LOCAL, url)).toBe(status));
});

test('without a list, on any other server, nothing is allowed', async () => {
  expect(await statusOf({}, 'http://localhost:3000/reset')).toBe(400);
});

test.each([
  ['https://app.test/reset', 'https://app.test/reset?token=T'],
  ['https://app.test/other?a=b', 'https://app.test/other?a=b&token=T'],
  ['https://app.test/?token=old', 'https://app.test/?token=T'],
])('the link to %s is %s', (redirect, link) => {
  expect(linkTo(new URL(redirect), 'T')).toBe(link);
});
