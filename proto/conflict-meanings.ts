/** What each row of the error table with status 409 means to a caller. */
import type { ErrorMeaning } from './error-meaning.ts';
import type { ErrorCode } from './errors.ts';

/** In the order of the table. */
export const CONFLICT_MEANINGS = {
  CONSTRAINT_VIOLATED: {
    means: 'The change violates a constraint of the database, such as a unique key.',
    remedy:
      "Change the data by the message, which is the backend's own; `details` may name the `constraint`.",
    effect: 'told',
  },
  ORGANIZATION_EXISTS: {
    means: 'An organization of that id exists.',
    remedy: 'Choose another id, or log in to the one that exists.',
  },
  ACCOUNT_EXISTS: {
    means: 'An account of that name exists, and its password was not given.',
    remedy: "Give that account's password, or choose another name.",
  },
  ACCOUNT_UNVERIFIED: {
    means:
      'The account was made by another organization or renamed, and its owner has not verified its username yet.',
    remedy: 'Have its owner complete a password reset first.',
  },
  MEMBERSHIP_EXISTS: {
    means: 'The user is a member already; nothing of the membership was changed.',
    remedy: 'Change the level by a grant instead.',
  },
  LAST_SUPER_ADMIN: {
    means: 'The change would leave the organization without a SuperAdmin.',
    remedy: 'Make another user SuperAdmin first.',
  },
  ENDPOINT_EXISTS: {
    means: 'An endpoint of that id exists.',
    remedy: 'Choose another id, or change the one that exists with PATCH.',
  },
  TEMPLATE_EXISTS: {
    means: 'The organization has a template of that id.',
    remedy: 'Choose another id, or change the template by PATCH.',
  },
  TEMPLATE_VERSION_EXISTS: {
    means: 'The template has a version of that name, and versions never change.',
    remedy: 'Choose another `version`, or leave it out for the next one.',
  },
  ENDPOINT_IN_USE: {
    means: 'Workflows use the endpoint; `details` name them.',
    remedy: 'Change those first, or repeat the call with `?confirm=true`: they fail from then on.',
  },
  KEY_EXISTS: {
    means: 'The organization has an API key of that name, or you have a personal one.',
    remedy: 'Choose another name, or change or rotate the key that exists.',
  },
  NODE_EXISTS: {
    means: 'The organization has a node of that name, or a node has that key already.',
    remedy: 'Choose another name, or make new keys.',
  },
  NODE_IN_USE: {
    means: 'All placements of some endpoints are on the node; `details` name them.',
    remedy:
      'Place those on another node first, or repeat the call with `?confirm=true`: they answer 503 from then on.',
  },
  NODE_RUNNING: {
    means: "Another process with the node's key is running and answers.",
    remedy: 'Stop that one, or enrol this one as a node of its own.',
    retry: 'later',
  },
  LAST_PLACEMENT: {
    means: "It is the endpoint's last placement.",
    remedy:
      'Repeat the call with `?confirm=true`: the default node serves the endpoint from then on.',
  },
  WORKFLOW_EXISTS: {
    means: 'The organization has a workflow of that id.',
    remedy: 'Choose another id, or change the workflow by PATCH.',
  },
  WORKFLOW_VERSION_EXISTS: {
    means: 'The workflow has a version of that name; versions never change.',
    remedy: 'Name another version, or leave it out.',
  },
  WORKFLOW_PATH_TAKEN: {
    means: 'Another workflow of the organization answers at that path below `/hooks`.',
    remedy: 'Choose another path for the webhook, or another id for the workflow.',
  },
  WORKFLOW_RUNNING: {
    means: 'Runs of the workflow are active.',
    remedy: 'Wait for them, or repeat the call with `?confirm=true`: they are cancelled.',
  },
  WORKFLOW_IN_USE: {
    means: 'Other workflows, which `details` list, run the workflow as a subworkflow.',
    remedy: 'Change those first, or delete it with `?confirm=true`: they fail from then on.',
  },
  TEMPLATE_IN_USE: {
    means: 'Other templates or workflows, which `details` list, use the template.',
    remedy: 'Change those first, or delete it with `?confirm=true`: they fail from then on.',
  },
  WORKFLOW_PAUSED: {
    means: 'The workflow is paused: nothing starts a run of it.',
    remedy: 'Set its `status` to `active` by PATCH.',
  },
  RUN_CONFLICT: {
    means: 'The run is not in a state that allows it: the message says which one it is in.',
    remedy: 'Read the run; one that was compensated can be forked instead of retried.',
  },
  TASK_CLOSED: {
    means: 'The task is done, was rejected, or its run has ended.',
    remedy: 'Read the run that it belongs to.',
  },
  DEAD_LETTER_SPENT: {
    means: 'The dead letter was redriven already, or its workflow does not let it be.',
    remedy: 'Read the run; it can be forked.',
  },
  EDIT_CONFLICT: {
    means: 'Somebody else changed the same thing while the request ran.',
    remedy: 'Read it again, and repeat the change if it is still wanted.',
    retry: 'later',
  },
  TRANSACTION_OPEN: {
    means: 'The session has a write transaction open, and `/read` is not taken inside one.',
    remedy: 'Send it to `/write`, or commit first.',
  },
  TRANSACTION_CLOSED: {
    means: 'The transaction goes on no more, or the participant is not in doubt.',
    remedy: 'Read it by `GET /transactions/{transaction}`; begin a new one.',
  },
  TRANSACTION_DEADLOCK: {
    means:
      'Two transactions wait for each other, or one for itself by two endpoints of one database.',
    remedy: 'Send it again; where it waits for itself, use one endpoint of the database.',
    retry: 'later',
  },
  IDEMPOTENCY_KEY_RUNNING: {
    means: 'An earlier request with this `Idempotency-Key` has not been answered yet.',
    remedy: 'Send the same request with the same key again a little later: it gets that reply.',
    retry: 'later',
  },
  REPLY_NOT_KEPT: {
    means: 'A request with this `Idempotency-Key` was answered, but its reply could not be kept.',
    remedy:
      'Take it as done, and read what it made; a reply over 1 MiB, with a secret, or for which no storage is left, is not kept.',
    effect: 'earlier',
  },
} satisfies Partial<Record<ErrorCode, ErrorMeaning>>;
