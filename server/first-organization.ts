/** The organization that the printed lines, the demo, the documents and the API's description are all about. */

/** Its id, the name of its first user, and the endpoint of the demo. */
export const FIRST = {
  organization: 'acme',
  username: 'ada@example.com',
  endpoint: 'shop',
} as const;

/** The file in the data folder that has the user's password, made at the first start. */
export const FIRST_PASSWORD = 'keys/first-password';
