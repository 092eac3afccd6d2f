// Reads the names of Kubernetes in the path of a log, as the kubelet makes it.
import type { LineFields } from '@quarterdeck/core/lines';

/** `/var/log/pods/NAMESPACE_POD_UID/CONTAINER/0.log`. */
const POD = /\/pods\/([a-z0-9.-]{1,253})_([a-z0-9.-]{1,253})_([a-f0-9-]{32,36})\/([a-z0-9.-]{1,253})\/[^/]+$/;
/** `/var/log/containers/POD_NAMESPACE_CONTAINER-ID.log`, a link to the other. */
const CONTAINER = /\/containers\/([a-z0-9.-]{1,253})_([a-z0-9.-]{1,253})_([a-z0-9.-]{1,253})-[a-f0-9]{64}\.log$/;

/** A container in a pod. */
interface PodContainer {
  readonly container: string;
  /** Names as OpenTelemetry has them. */
  readonly fields: LineFields;
}

/** Returns the container whose log has this path; undefined for a path of another form. */
export function podOf(path: string): PodContainer | undefined {
  const pod = POD.exec(path);
  if (pod !== null) {
    const [, namespace = '', name = '', uid = '', container = ''] = pod;
    return { container, fields: { ...fieldsOf(namespace, name, container), 'k8s.pod.uid': uid } };
  }
  const link = CONTAINER.exec(path);
  if (link === null) return undefined;
  const [, name = '', namespace = '', container = ''] = link;
  return { container, fields: fieldsOf(namespace, name, container) };
}

const fieldsOf = (namespace: string, name: string, container: string): LineFields => ({
  'k8s.namespace.name': namespace,
  'k8s.pod.name': name,
  'k8s.container.name': container,
});
