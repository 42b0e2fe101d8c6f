/** Ids in the examples. All are distinct, so that tests can replace each with a real one. */
export const SAMPLES = {
  user: 7001,
  friend: 7002,
  externalUser: 770077,
  dialog: '6b014763c31c72a603f51a01',
  otherDialog: '6b014763c31c72a603f51a02',
  message: '6b014763c31c72a603f51b01',
  otherMessage: '6b014763c31c72a603f51b02',
  record: '6b014763c31c72a603f51c01',
  otherRecord: '6b014763c31c72a603f51c02',
  assistant: '6b014763c31c72a603f51d01',
  event: 4001,
  subscription: 4101,
  pushToken: 4201,
  blob: 4301,
  uid: '5c0ffee05c0ffee05c0ffee05c0ffee05c',
  geodatum: 4401,
} as const;
