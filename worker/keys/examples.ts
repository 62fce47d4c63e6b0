/** Keys that the API's examples are about. */
import { SAMPLE } from '../shapes/sample.ts';

export const SAMPLE_KEY = {
  name: 'shop-backend',
  uuid: '6d0e9b3a-5f1c-4c27-8e4d-2b7a9f60c381',
  description: 'The web shop',
  /** Made of 32 zeros: not one that anything takes. */
  text: 'cwk_00000000000000000000000000000000000000000002CZclj',
  created: SAMPLE.changed,
  expires: '2027-03-09T00:00:00.000Z',
  levels: { [SAMPLE.endpoint]: 'Write' },
} as const;

/** A body that makes a key with one level. */
export const NEW_KEY = {
  name: SAMPLE_KEY.name,
  description: SAMPLE_KEY.description,
  endpoints: SAMPLE_KEY.levels,
  addresses: ['203.0.113.0/24'],
  expires: SAMPLE_KEY.expires,
};

/** What making and rotating answers. */
export const MADE_KEY = {
  id: SAMPLE_KEY.uuid,
  name: SAMPLE_KEY.name,
  key: SAMPLE_KEY.text,
  access_level: null,
  created: SAMPLE_KEY.created,
  expires: SAMPLE_KEY.expires,
};

/** A key as it is shown. */
export const KEY_RECORD = {
  id: SAMPLE_KEY.uuid,
  name: SAMPLE_KEY.name,
  description: SAMPLE_KEY.description,
  access_level: null,
  endpoints: SAMPLE_KEY.levels,
  templates: {},
  workflows: {},
  addresses: NEW_KEY.addresses,
  created: SAMPLE_KEY.created,
  created_by: SAMPLE.ada,
  expires: SAMPLE_KEY.expires,
  last_used: SAMPLE.now,
  status: 'active',
} as const;

/** A personal key as it is shown. */
export const PERSONAL_RECORD = {
  id: '0c5a7e91-8d34-4f6b-b210-9e3f1a7c5d42',
  name: 'notebook',
  description: '',
  owner: SAMPLE.bruno,
  access_level: 'Read',
  endpoints: {},
  templates: {},
  workflows: {},
  addresses: null,
  created: SAMPLE_KEY.created,
  created_by: SAMPLE.bruno,
  status: 'active',
} as const;
