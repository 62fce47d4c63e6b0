/** Signatures of deliveries, against those that the vendors' own libraries and documents make. Spec: workflows.md §5, `webhook`. */
import { sign } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { faultOfSignature, type Trusted } from './signature.ts';

const encoder = new TextEncoder();
const NOW = 1_767_225_600;
const MISMATCH = 'The signature does not match';

/** A trigger that names nothing that its scheme does not need. */
function trusted(scheme: Trusted['scheme'], secrets: readonly string[], more?: Partial<Trusted>) {
  const authentication = { scheme, algorithm: 'sha256', header: undefined, idHeader: undefined };
  return { ...authentication, secrets, ...more } as Trusted;
}

function fault(
  authentication: Trusted,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
  seconds = NOW,
) {
  const own = new Headers(headers);
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const header = (name: string) => own.get(name);
  return faultOfSignature(authentication, { header, bytes, now: seconds * 1000 });
}

/** GitHub: docs.github.com, "Validating webhook deliveries". */
const GITHUB = {
  secret: "It's a Secret to Everybody",
  body: 'Hello, World!',
  signature: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
};
const OF_GITHUB = trusted('plain', [GITHUB.secret], { header: 'X-Hub-Signature-256' });

/** Slack: docs.slack.dev, "Verifying requests from Slack". */
const SLACK = {
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  time: 1_531_420_618,
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
};
const SLACK_HEADERS = {
  'X-Slack-Request-Timestamp': String(SLACK.time),
  'X-Slack-Signature': SLACK.signature,
};

/** Stripe: made by `webhooks.generateTestHeaderString` of its package, version 23.1.0. */
const STRIPE = {
  secret: 'whsec_test_4eC39HqLyjWDarjtT1zdp7dc',
  body: '{"id":"evt_1NG8Du2eZvKYlo2CUI79vXWy","object":"event","type":"payment_intent.succeeded","data":{"object":{"amount":2000,"note":"Zürich ☕"}}}',
  signature: 'ebcd2757016e592961edc89d36a2ad57d432c21bba96b2c3e7748a1f7734a027',
};

test('are those of GitHub’s document and library', async () => {
  const headers = { 'X-Hub-Signature-256': GITHUB.signature };
  expect(await fault(OF_GITHUB, headers, GITHUB.body)).toBeUndefined();
  const made = await sign(GITHUB.secret, '{"zen":"☕"}');
  expect(await fault(OF_GITHUB, { 'X-Hub-Signature-256': made }, '{"zen":"☕"}')).toBeUndefined();
  expect(await fault(OF_GITHUB, { 'X-Hub-Signature-256': made }, '{"zen":"x"}')).toBe(MISMATCH);
});

test('are those of Slack’s document', async () => {
  const of = trusted('slack', [SLACK.secret]);
  expect(await fault(of, SLACK_HEADERS, SLACK.body, SLACK.time)).toBeUndefined();
  expect(await fault(of, SLACK_HEADERS, `${SLACK.body}&a=b`, SLACK.time)).toBe(MISMATCH);
});

test('are those of Stripe’s library, also next to others', async () => {
  const of = trusted('stripe', [STRIPE.secret]);
  const other = '0'.repeat(64);
  for (const value of [
    `t=${NOW},v1=${STRIPE.signature}`,
    `t=${NOW},v1=${other},v1=${STRIPE.signature},v0=${other}`,
  ]) {
    expect(await fault(of, { 'Stripe-Signature': value }, STRIPE.body)).toBeUndefined();
  }
  const old = `t=${NOW},v0=${STRIPE.signature}`;
  expect(await fault(of, { 'Stripe-Signature': old }, STRIPE.body)).toBe(
    'stripe-signature must have the form t=<time>,v1=<hex>',
  );
});

const KEY = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test.each([
  ['with the prefix of its specification', `whsec_${KEY}`, 'webhook'],
  ['without it', KEY, 'webhook'],
  ['with another product’s names of headers', `whsec_${KEY}`, 'svix'],
])('are those of the library of Standard Webhooks, %s', async (_how, secret, product) => {
  const body = '{"type":"invoice.paid","data":{"note":"Zürich"}}';
  const header = product === 'webhook' ? undefined : `${product}-signature`;
  const of = trusted('standard', [secret], { header });
  const made = new Webhook(secret).sign('msg_1', new Date(NOW * 1000), body);
  const headers = (signature: string) => ({
    [`${product}-id`]: 'msg_1',
    [`${product}-timestamp`]: String(NOW),
    [`${product}-signature`]: signature,
  });
  expect(await fault(of, headers(made), body)).toBeUndefined();
  expect(await fault(of, headers(`v1,${KEY}AAAAAAAAAAA= v1a,AA== ${made}`), body)).toBeUndefined();
  expect(await fault(of, { ...headers(made), [`${product}-id`]: 'msg_2' }, body)).toBe(MISMATCH);
});

test.each<[scheme: 'standard' | 'stripe' | 'slack', at: number, isRight: boolean]>(
  (['standard', 'stripe', 'slack'] as const).flatMap((scheme) => [
    [scheme, NOW, true],
    [scheme, NOW + 300, true],
    [scheme, NOW - 300, true],
    [scheme, NOW + 301, false],
    [scheme, NOW - 301, false],
  ]),
)('of %s, signed at 1767225600, are looked at at %d: %s', async (scheme, at, isRight) => {
  const secret = `whsec_${KEY}`;
  const body = '{"a":1}';
  const headers = await signedHeaders(scheme, secret, body);
  expect(await fault(trusted(scheme, [secret]), headers, body, at)).toBe(
    isRight
      ? undefined
      : "The delivery was signed more than 300 seconds from now: look at the sender's clock",
  );
});

/** Headers as the sender makes them; independent of what is tested except for the schemes' documents. */
async function signedHeaders(
  scheme: 'standard' | 'stripe' | 'slack',
  secret: string,
  body: string,
) {
  if (scheme === 'standard') {
    const signature = new Webhook(secret).sign('msg_1', new Date(NOW * 1000), body);
    const names = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(NOW) };
    return { ...names, 'webhook-signature': signature };
  }
  // The library of GitHub's form signs any text.
  if (scheme === 'stripe') {
    const made = await sign(secret, `${NOW}.${body}`);
    return { 'stripe-signature': `t=${NOW},${made.replace('sha256=', 'v1=')}` };
  }
  const made = await sign(secret, `v0:${NOW}:${body}`);
  const names = { 'x-slack-request-timestamp': String(NOW) };
  return { ...names, 'x-slack-signature': made.replace('sha256=', 'v0=') };
}

test('are taken by either secret while the sender changes from one to the other', async () => {
  const headers = { 'X-Hub-Signature-256': GITHUB.signature };
  const both = ['another secret', GITHUB.secret];
  const { header } = OF_GITHUB;
  for (const secrets of [both, both.toReversed()]) {
    expect(
      await fault(trusted('plain', secrets, { header }), headers, GITHUB.body),
    ).toBeUndefined();
  }
  const others = trusted('plain', ['another secret', 'a third secret'], { header });
  expect(await fault(others, headers, GITHUB.body)).toBe(MISMATCH);
});

const hexOf = (mac: Uint8Array) =>
  Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
const base64Of = (mac: Uint8Array) =>
  btoa(Array.from(mac, (byte) => String.fromCharCode(byte)).join(''));
const base64UrlOf = (mac: Uint8Array) =>
  base64Of(mac).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

test.each<[algorithm: 'sha256' | 'sha512', form: string, write: (mac: Uint8Array) => string]>(
  (['sha256', 'sha512'] as const).flatMap((algorithm) => [
    [algorithm, 'hexadecimal digits', hexOf],
    [algorithm, 'capital hexadecimal digits', (mac) => hexOf(mac).toUpperCase()],
    [algorithm, 'base64', base64Of],
    [algorithm, 'base64 for URLs', base64UrlOf],
    [algorithm, 'a prefix', (mac) => `${algorithm}=${hexOf(mac)}`],
  ]),
)('of %s are read in %s', async (algorithm, _form, write) => {
  const bytes = Uint8Array.from([0, 255, 10, 13, 195, 40]);
  const secret = 'a secret of bytes';
  const hash = { name: 'HMAC', hash: algorithm === 'sha256' ? 'SHA-256' : 'SHA-512' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hash, false, ['sign']);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes));
  const of = trusted('plain', [secret], { header: 'x-signature', algorithm });
  expect(await fault(of, { 'x-signature': write(mac) }, bytes)).toBeUndefined();
  expect(await fault(of, { 'x-signature': write(mac) }, bytes.slice(1))).toBe(MISMATCH);
});

test.each([
  ['plain', {}, 'x-sig is required: the delivery must be signed'],
  ['plain', { 'x-sig': '' }, 'x-sig is required: the delivery must be signed'],
  ['plain', { 'x-sig': '%%' }, 'x-sig must be an HMAC with sha256 in hexadecimal digits or base64'],
  ['plain', { 'x-sig': 'ab' }, 'x-sig must be an HMAC with sha256 in hexadecimal digits or base64'],
  ['standard', { 'x-sig': 'v1,a' }, 'webhook-id is required: the delivery must be signed'],
  ['stripe', { 'x-sig': 'v1=a' }, 't in x-sig must be seconds since the Unix epoch'],
  ['stripe', { 'x-sig': 't=1e9,v1=a' }, 't in x-sig must be seconds since the Unix epoch'],
  [
    'slack',
    { 'x-sig': 'v0=a' },
    'x-slack-request-timestamp is required: the delivery must be signed',
  ],
  [
    'slack',
    { 'x-sig': 'v1=a', 'x-slack-request-timestamp': String(NOW) },
    'x-sig must have the form v0=<hex>',
  ],
] as const)('of %s with %j are refused', async (scheme, headers, message) => {
  const of = trusted(scheme, ['a secret'], { header: 'x-sig' });
  expect(await fault(of, headers, '{}')).toBe(message);
});

test('are right for no other body, secret or time', async () => {
  const texts = fc.string({ minLength: 8, maxLength: 40, unit: 'binary' });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('standard', 'stripe', 'slack'),
      texts,
      texts,
      texts,
      async (scheme, secret, body, other) => {
        fc.pre(secret !== other && body !== other);
        const own = scheme === 'standard' ? `whsec_${btoa(encodeURI(secret))}` : secret;
        const headers = await signedHeaders(scheme, own, body);
        expect(await fault(trusted(scheme, [own]), headers, body)).toBeUndefined();
        expect(await fault(trusted(scheme, [own]), headers, other)).toBe(MISMATCH);
        expect(await fault(trusted(scheme, [`${own}x`]), headers, body)).toBe(MISMATCH);
      },
    ),
    { numRuns: 60 },
  );
});
