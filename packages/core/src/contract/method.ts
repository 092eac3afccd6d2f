/** HTTP methods in use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
