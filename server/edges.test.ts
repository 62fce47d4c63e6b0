/** Keys of several runtimes change one runtime after another: none makes what another does not take yet. */
import { expect, test } from 'vitest';
import { beforeChange } from './edges.ts';

const NOW = {
  ...{
    JWT_SECRET: 'a',
    JWT_SECRET_PREVIOUS: '',
    INSTALLATION_KEY: 'i',
    INSTALLATION_KEY_PREVIOUS: '',
  },
  ...{ GATEWAY_KEY: 'g', GATEWAY_KEY_PREVIOUS: '', NEW_ORG_TOKEN: 't' },
};

test.each([
  {
    what: 'a new secret is taken before tokens are signed with it',
    next: { JWT_SECRET: 'b', JWT_SECRET_PREVIOUS: 'a' },
    before: { JWT_SECRET: 'a', JWT_SECRET_PREVIOUS: 'b' },
  },
  {
    what: 'a new key opens before anything is sealed with it',
    next: { INSTALLATION_KEY: 'j', INSTALLATION_KEY_PREVIOUS: 'i' },
    before: { INSTALLATION_KEY: 'i', INSTALLATION_KEY_PREVIOUS: 'j' },
  },
  {
    what: 'one that relays take already is used at once',
    next: { GATEWAY_KEY: 'h', GATEWAY_KEY_PREVIOUS: 'g' },
    before: { GATEWAY_KEY: 'h', GATEWAY_KEY_PREVIOUS: 'g' },
  },
  {
    what: 'one that replaces all tokens is used at once',
    next: { JWT_SECRET: 'b', JWT_SECRET_PREVIOUS: '' },
    before: { JWT_SECRET: 'b', JWT_SECRET_PREVIOUS: '' },
  },
  { what: 'what stays stays', next: {}, before: {} },
])('$what', ({ next, before }) => {
  expect(beforeChange(NOW, { ...NOW, ...next })).toEqual({ ...NOW, ...before });
});
