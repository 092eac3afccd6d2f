// For tests of programs that use the SDK, as "@quarterdeck/sdk/testing": a fake server, and builders of nouns.
export { type BuilderOptions, type Builders, build, createBuilders, SAMPLE_TIME_MS } from './build.ts';
export type {
  CallOf,
  EndpointName,
  EndpointOf,
  FakeAnswer,
  FakeCall,
  FakeHandler,
  Quarterdeck,
} from './endpoints.ts';
export type { EventData } from './event-streams.ts';
export { createFake, refusal } from './fake.ts';
export type { AnswerOptions, FailureOptions, Fake, FakeOptions, RecordedCall } from './fake-types.ts';
