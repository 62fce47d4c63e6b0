/** Bodies and replies of the users that the API's examples are about. */
import { SAMPLE } from '../shapes/sample.ts';

/** Body that makes an account. */
export const NEW_USER = {
  username: SAMPLE.bruno,
  password: 'seven swans on the lake',
  description: 'Packs the parcels',
  access_level: 'Read',
};

/** What adding answers. */
export const ADDED = {
  message: `User ${SAMPLE.bruno} was created`,
  userId: SAMPLE.bruno,
  accessLevel: 'Read',
};

/** Body of a PATCH, and what it answers. */
export const CHANGES = {
  password: 'eight swans on the lake',
  current_password: NEW_USER.password,
  description: 'Packs parcels and letters',
};
export const CHANGED = {
  message: `User ${SAMPLE.bruno} changed: log in again`,
  userId: SAMPLE.bruno,
  updatedFields: ['password', 'description'],
};

/** A user as lists show one. */
export const LISTED = {
  userId: SAMPLE.bruno,
  uuid: SAMPLE.brunoUuid,
  description: NEW_USER.description,
  accessLevel: 'Read',
  status: 'active',
  created: SAMPLE.created,
  createdBy: SAMPLE.ada,
  lastModified: SAMPLE.changed,
  lastModifiedBy: SAMPLE.bruno,
  lastActive: SAMPLE.now,
};

/** The same user, whole. */
export const RECORD = {
  ...LISTED,
  managedResources: { endpoints: 0, templates: 0, workflows: 0 },
  activity: {
    lastLogin: SAMPLE.changed,
    loginCount: 12,
    lastOperations: [
      {
        operation: 'endpoint.read',
        resource: `endpoint:${SAMPLE.endpoint}`,
        timestamp: SAMPLE.now,
      },
    ],
  },
};

/** A user without a password. */
export const INVITED = {
  userId: SAMPLE.chiyo,
  uuid: SAMPLE.chiyoUuid,
  description: '',
  accessLevel: 'None',
  status: 'invited',
  created: SAMPLE.changed,
  createdBy: SAMPLE.ada,
  lastModified: SAMPLE.changed,
  lastModifiedBy: SAMPLE.ada,
  lastActive: null,
};
