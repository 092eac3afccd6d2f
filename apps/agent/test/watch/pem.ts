/** A private key of several lines, as a setting may have it. */
export const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'Proc-Type: 4,ENCRYPTED',
  '',
  'MIIEpAIBAAKCAQEAcanary',
  'abc',
  '-----END RSA PRIVATE KEY-----',
].join('\n');
