/** What a relay believes of a gateway that tells it whose node it is. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join as path } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newKeys } from './files.ts';
import { join } from './join.ts';

const OWN = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const log = { warn: () => {} };
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function refuse(response: ServerResponse): void {
  const message = 'No node has that signing key';
  response.writeHead(401, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ code: 'NODE_SIGNATURE_INVALID', message }));
}

/** A gateway that has the relay's key as a node of `organization`. */
async function startGateway() {
  const told = { organization: OWN, status: 200, isUnknown: false };
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const sent = Buffer.concat(await request.toArray()).toString();
    asked.push(sent);
    if (told.isUnknown) {
      // A secret makes the node.
      told.isUnknown = JSON.parse(sent).secret === undefined;
      if (told.isUnknown) return refuse(response);
    }
    response.writeHead(told.status, { 'Content-Type': 'application/json' });
    const body =
      told.status === 200
        ? {
            uuid: '33333333-3333-4333-8333-333333333333',
            name: 'berlin-1',
            transport: 'tunnel',
            nonce: 'a.b.c',
            time: Date.now(),
            gateway_keys: [],
            organization: told.organization,
          }
        : { code: 'RATE_LIMITED', message: 'Too many requests: try again later' };
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return { told, asked, url: `http://127.0.0.1:${port}` };
}

async function folder(): Promise<string> {
  const made = await mkdtemp(path(tmpdir(), 'causeway-join-'));
  stops.push(() => rm(made, { recursive: true }));
  return made;
}

const refusal = (serves: string) => ({
  code: 'INVALID_CONFIGURATION',
  message: `The gateway has this relay's key as node berlin-1 of organization ${OTHER}, but it serves ${serves}: have that node deleted, or enrol with new keys`,
});

test('a relay with a folder stays with the organization that it enrolled with', async () => {
  const { told, url: gateway } = await startGateway();
  const data = await folder();
  const place = { port: '8790', host: '0.0.0.0' };
  expect(await join({ ...place, gateway, data, enroll: 'secret' }, {}, log)).toMatchObject({
    organization: OWN,
  });
  const kept = await readFile(path(data, 'node.json'), 'utf8');
  told.organization = OTHER;
  await expect(join({ data }, {}, log)).rejects.toMatchObject(refusal(OWN));
  expect(await readFile(path(data, 'node.json'), 'utf8')).toBe(kept);
  expect(await join({ data, enroll: 'another secret' }, {}, log)).toMatchObject({
    organization: OTHER,
    kept: { port: '8790', host: '0.0.0.0' },
  });
});

test('a relay with keys of its environment is a node of RELAY_ORGANIZATION alone', async () => {
  const { told, asked, url: gateway } = await startGateway();
  const { signing, sealing } = await newKeys();
  const env = {
    RELAY_SIGNING_KEY: JSON.stringify(signing),
    RELAY_NODE_KEY: JSON.stringify(sealing),
    RELAY_ORGANIZATION: OWN.toUpperCase(),
  };
  expect(await join({ gateway }, env, log)).toMatchObject({ organization: OWN });
  expect(JSON.parse(asked.join(''))).toMatchObject({ organization: OWN.toUpperCase() });
  told.organization = OTHER;
  await expect(join({ gateway }, env, log)).rejects.toMatchObject(refusal(OWN.toUpperCase()));
});

test('without RELAY_ORGANIZATION it asks for none, and warns', async () => {
  const { asked, url: gateway } = await startGateway();
  const { signing, sealing } = await newKeys();
  const env = {
    RELAY_SIGNING_KEY: JSON.stringify(signing),
    RELAY_NODE_KEY: JSON.stringify(sealing),
  };
  const warnings: unknown[] = [];
  await join({ gateway }, env, { warn: (said: unknown) => warnings.push(said) });
  expect(JSON.parse(asked.join(''))).not.toHaveProperty('organization');
  expect(warnings).toEqual([
    'RELAY_ORGANIZATION is not set: any organization that registers this key may use it',
  ]);
});

test('keys of the environment enrol with a secret where no node has them, and only there', async () => {
  const { told, asked, url: gateway } = await startGateway();
  const { signing, sealing } = await newKeys();
  const env = {
    RELAY_SIGNING_KEY: JSON.stringify(signing),
    RELAY_NODE_KEY: JSON.stringify(sealing),
    RELAY_ORGANIZATION: OWN,
  };
  const secrets = () => asked.splice(0).map((body) => JSON.parse(body).secret);
  told.isUnknown = true;
  expect(await join({ gateway, enroll: 'secret' }, env, log)).toMatchObject({ organization: OWN });
  expect(secrets()).toEqual([undefined, 'secret']);
  expect(await join({ gateway, enroll: 'secret' }, env, log)).toMatchObject({ organization: OWN });
  expect(secrets()).toEqual([undefined]);
  told.isUnknown = true;
  await expect(join({ gateway }, env, log)).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: 'No node has that signing key',
  });
});

test.each(['gateway.example.com', '127.0.0.1:8787', 'https://', 'ftp://gateway.example.com'])(
  'the address %s of a gateway is refused as what it is',
  async (gateway) => {
    await expect(
      join({ gateway, enroll: 'secret', data: await folder() }, {}, log),
    ).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: 'The gateway must be an http or https URL, such as https://gateway.example.com',
    });
  },
);

test('a folder without a node, and no key, says what would make one', async () => {
  const data = await folder();
  await expect(join({ data }, {}, log)).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: `There is no RELAY_NODE_KEY, and no node in the folder ${data}: npm run keygen makes keys, --gateway URL --enroll SECRET a node`,
  });
});

test('a gateway that is asked too often is asked again later', async () => {
  const { told, url: gateway } = await startGateway();
  const data = await folder();
  await join({ gateway, data, enroll: 'secret' }, {}, log);
  told.status = 429;
  expect(await join({ data }, {}, log)).toMatchObject({ organization: OWN });
});
