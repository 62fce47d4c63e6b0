/** Flags and environment of `npm start`. */
import { availableParallelism } from 'node:os';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Failure } from './failure.ts';
import { isLoopback, readOptions } from './options.ts';

const DEFAULTS = {
  port: 8787,
  relayPort: 8788,
  host: '127.0.0.1',
  data: '.causeway',
  demo: false,
  // As many as the machine has cores, less one.
  workers: Math.max(1, availableParallelism() - 1),
  help: false,
  drainS: 30,
  trustedProxy: undefined,
  logFormat: process.stderr.isTTY ? 'pretty' : 'json',
};

describe('readOptions', () => {
  test.each([
    { what: 'nothing', args: [], env: {}, expected: {} },
    {
      what: 'every flag',
      args: [
        '--port=0',
        '--relay-port',
        '1',
        '--host',
        '::1',
        '--data=d',
        '--demo',
        '--workers=2',
        '--help',
        '--log=pretty',
      ],
      env: { LOG_FORMAT: 'json' },
      expected: {
        port: 0,
        relayPort: 1,
        host: '::1',
        data: 'd',
        demo: true,
        workers: 2,
        help: true,
        logFormat: 'pretty',
      },
    },
    {
      what: 'every variable',
      args: [],
      env: {
        PORT: '65535',
        RELAY_PORT: '2',
        HOST: '0.0.0.0',
        DATA: '/d',
        DEMO: 'true',
        TRUSTED_PROXY: '10.0.0.1',
        DRAIN_S: '0',
        LOG_FORMAT: 'pretty',
        WORKERS: '64',
      },
      expected: {
        port: 65_535,
        relayPort: 2,
        host: '0.0.0.0',
        data: '/d',
        demo: true,
        trustedProxy: '10.0.0.1',
        drainS: 0,
        logFormat: 'pretty',
        workers: 64,
      },
    },
    {
      what: 'a flag before a variable',
      args: ['--port', '1'],
      env: { PORT: '2' },
      expected: { port: 1 },
    },
    {
      what: 'empty variables as not set',
      args: [],
      env: { PORT: '', HOST: '', DATA: '', DEMO: '', TRUSTED_PROXY: '' },
      expected: {},
    },
    { what: 'localhost as an address', args: ['--host=localhost'], env: {}, expected: {} },
  ])('takes $what', ({ args, env, expected }) => {
    expect(readOptions(args, env)).toEqual({ ...DEFAULTS, ...expected });
  });

  test.each([
    {
      args: ['--prot', '1'],
      env: {},
      message: "Unknown option '--prot'; did you mean --port? See --help.",
    },
    { args: ['--colour'], env: {}, message: "Unknown option '--colour'; see --help." },
    { args: ['extra'], env: {}, message: /^Unexpected argument 'extra'.*; see --help\.$/ },
    {
      args: ['--port'],
      env: {},
      message: /^Option '--port <value>' argument missing; see --help\.$/,
    },
    {
      args: ['--demo=1'],
      env: {},
      message: /^Option '--demo' does not take an argument; see --help\.$/,
    },
    {
      args: ['--port', '65536'],
      env: {},
      message: "--port takes a number from 0 to 65535, not '65536'.",
    },
    {
      args: ['--port=1e3'],
      env: {},
      message: "--port takes a number from 0 to 65535, not '1e3'.",
    },
    {
      args: [],
      env: { RELAY_PORT: '-1' },
      message: "--relay-port takes a number from 0 to 65535, not '-1'.",
    },
    {
      args: ['--host', 'example.com'],
      env: {},
      message: "--host takes an IP address of this machine or localhost, not 'example.com'.",
    },
    { args: [], env: { DEMO: 'yes' }, message: "DEMO takes true or false, not 'yes'." },
    {
      args: [],
      env: { TRUSTED_PROXY: 'proxy.local' },
      message: "TRUSTED_PROXY takes an IP address, not 'proxy.local'.",
    },
    {
      args: [],
      env: { DRAIN_S: 'soon' },
      message: "DRAIN_S takes a number of seconds from 0 to 3600, not 'soon'.",
    },
    {
      args: ['--workers=0'],
      env: {},
      message: "--workers takes a number from 1 to 64, not '0'.",
    },
    {
      args: [],
      env: { WORKERS: '65' },
      message: "--workers takes a number from 1 to 64, not '65'.",
    },
    {
      args: ['--workers', 'two'],
      env: {},
      message: "--workers takes a number from 1 to 64, not 'two'.",
    },
  ])('refuses $args $env in one sentence', ({ args, env, message }) => {
    const refused = () => readOptions(args, env);
    expect(refused).toThrow(Failure);
    expect(refused).toThrow(message);
    expect(refused).not.toThrow(/\n/);
  });
});

describe('where runtimes cannot share a port', () => {
  // Another program runs the runtime.
  beforeEach(() => vi.stubEnv('MINIFLARE_WORKERD_PATH', '/opt/workerd'));
  afterEach(() => vi.unstubAllEnvs());

  test('there is one', () => expect(readOptions([], {})).toEqual({ ...DEFAULTS, workers: 1 }));

  test('more are refused', () => {
    const refused = () => readOptions(['--workers=2'], {});
    expect(refused).toThrow(
      '--workers needs Linux with setpriv and Perl for more than one; leave it out.',
    );
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
])('%s is loopback: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
