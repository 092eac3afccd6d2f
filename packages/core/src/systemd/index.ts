// The service manager that started a program, as "@quarterdeck/core/systemd". Node only, and without schemas.
export { type Notifier, type NotifierOptions, notifierFor } from './notifier.ts';
export { environmentWith, type PassedSocket, type Service, takeService } from './service.ts';
