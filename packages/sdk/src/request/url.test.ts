import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../core/test/any-character.ts';
import { thrownBy } from '../../test/thrown-by.ts';
import { fillPath, parseBaseUrl, queryText } from './url.ts';

describe('parseBaseUrl', () => {
  it.each([
    ['http://host', 'http://host'],
    ['http://host/', 'http://host'],
    ['https://host:7443/prefix', 'https://host:7443/prefix'],
    ['https://host/a/b//', 'https://host/a/b'],
    ['http://[::1]:7080', 'http://[::1]:7080'],
    ['HTTP://HOST:80/', 'http://host'],
  ])('reads %s as %s', (value, base) => {
    expect(parseBaseUrl(value, 'url')).toBe(base);
  });

  it.each([
    ['', 'url is not a url: ""'],
    ['host/path', 'url lacks http:// or https:// before "host/path"'],
    ['localhost:7080', 'url lacks http:// or https:// before "localhost:7080"'],
    ['127.0.0.1:7080', 'url lacks http:// or https:// before "127.0.0.1:7080"'],
    ['[::1]:7080', 'url lacks http:// or https:// before "[::1]:7080"'],
    ['ftp://host', 'url must begin with http:// or https://: "ftp://host"'],
    ['http://host/?a=hush', 'url must end with its path, without query and fragment: "http://host/"'],
    ['http://host/#hush', 'url must end with its path, without query and fragment: "http://host/"'],
    ['http://me:hush@host', 'url must not carry a user or password; credentials travel in headers'],
    ['me:hush@host:99999', 'url must begin with http:// or https://: (not shown)'],
    ['http://me:hush@host:99999', 'url is not a url: (not shown)'],
  ])('refuses %j with a reason that repeats no secret', (value, message) => {
    const error = thrownBy(() => parseBaseUrl(value, 'url'));
    expect(error).toEqual(new TypeError(message));
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('hush');
  });
});

describe('fillPath', () => {
  it.each([
    ['/a/{id}', { id: 7 }, '/a/7'],
    ['/a/{id}/b/{name}', { id: 1, name: 'x y' }, '/a/1/b/x%20y'],
    ['/a/{id}', { id: '../../b?c#d' }, '/a/..%2F..%2Fb%3Fc%23d'],
    ['/a/{id}', { id: '%2e%2e' }, '/a/%252e%252e'],
    ['/a/{id}', { id: '...' }, '/a/...'],
    ['/a/{id}', { id: 1e21 }, '/a/1000000000000000000000'],
    ['/a', undefined, '/a'],
    ['/a', { id: 1 }, '/a'],
  ])('fills %s with %j', (path, params, filled) => {
    expect(fillPath(path, params)).toBe(filled);
  });

  it.each([
    [undefined, 'params.id is required'],
    [{}, 'params.id is required'],
    [{ id: null }, 'params.id is required'],
    [{ id: '' }, 'params.id cannot be ""'],
    [{ id: '.' }, 'params.id cannot be "."'],
    [{ id: '..' }, 'params.id cannot be ".."'],
    [{ id: Number.NaN }, 'params.id must be a finite number'],
    [{ id: {} }, 'params.id must be text, a number or a boolean'],
    [{ id: '\ud800' }, 'params.id must be well-formed Unicode'],
  ])('refuses %j', (params, message) => {
    expect(() => fillPath('/a/{id}', params)).toThrow(new TypeError(message));
  });

  it('gives the server exactly the value, in one segment of the same path', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, minLength: 1 }), (value) => {
        fc.pre(value !== '.' && value !== '..');
        const url = new URL(`http://host/prefix${fillPath('/a/{id}/b', { id: value })}`);
        expect(url.origin).toBe('http://host');
        expect(url.search + url.hash).toBe('');
        const segments = url.pathname.split('/');
        expect(segments.map(decodeURIComponent)).toEqual(['', 'prefix', 'a', value, 'b']);
      }),
    );
  });
});

describe('queryText', () => {
  it.each([
    [undefined, ''],
    [{}, ''],
    [{ a: undefined, b: null }, ''],
    [{ a: 0, b: '', c: false, d: true }, '?a=0&b=&c=0&d=1'],
    [{ a: 1.5, b: -0, c: 9_007_199_254_740_991, d: 1e21 }, '?a=1.5&b=0&c=9007199254740991&d=1000000000000000000000'],
    [{ q: 'a b&c=d#é' }, '?q=a+b%26c%3Dd%23%C3%A9'],
  ])('writes %j as %j', (query, text) => {
    expect(queryText(query)).toBe(text);
  });

  it.each([
    [{ a: Number.NaN }, 'query.a must be a finite number'],
    [{ a: Number.POSITIVE_INFINITY }, 'query.a must be a finite number'],
    [{ a: [1, 2] }, 'query.a must be text, a number or a boolean'],
    [{ a: new Date(0) }, 'query.a must be text, a number or a boolean'],
    [{ a: '\udfff' }, 'query.a must be well-formed Unicode'],
  ])('refuses %j', (query, message) => {
    expect(() => queryText(query)).toThrow(new TypeError(message));
  });

  it('gives the server exactly the names and values', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: ANY_CHARACTER }), fc.string({ unit: ANY_CHARACTER })), (query) => {
        const url = new URL(`http://host/a${queryText(query)}`);
        expect([...url.searchParams]).toEqual(Object.entries(query));
      }),
    );
  });
});
