/**
 * The XML Schemas of what formats.ts writes, from the tables of members.
 */
import {
  listMembers,
  type Members,
  type MemberType,
  problemMembers,
  recordMembers,
  verdictMembers,
} from "./members.ts";

const simple = {
  text: "xs:string",
  flag: "xs:boolean",
  count: "xs:nonNegativeInteger",
  time: "xs:dateTime",
  address: "xs:anyURI",
  // Only in requests, which are JSON.
  fields: "xs:anyType",
} as const satisfies Readonly<Record<Extract<MemberType, string>, string>>;

/** The name of a type that an attribute or an element without elements of its own can have. */
function typeName(type: MemberType): string {
  if (typeof type === "string") return simple[type];
  return "words" in type ? type.name : "";
}

function elements(members: Members): string {
  const rows = Object.entries(members).map(([name, { type, isOptional }]) => {
    const often = isOptional ? ' minOccurs="0"' : "";
    if (typeof type === "string" || "words" in type)
      return `<xs:element name="${name}" type="${typeName(type)}"${often}/>`;
    if ("members" in type)
      return `<xs:element name="${name}"${often}><xs:complexType>${elements(type.members)}</xs:complexType></xs:element>`;
    const item = itemElement(type.item, type.items);
    return `<xs:element name="${name}"${often}><xs:complexType><xs:sequence>${item}</xs:sequence></xs:complexType></xs:element>`;
  });
  return `<xs:sequence>\n      ${rows.join("\n      ")}\n    </xs:sequence>`;
}

function itemElement(name: string, type: MemberType): string {
  const often = 'minOccurs="0" maxOccurs="unbounded"';
  return typeof type === "object" && "members" in type
    ? `<xs:element name="${name}" ${often}><xs:complexType>${elements(type.members)}</xs:complexType></xs:element>`
    : `<xs:element name="${name}" type="${typeName(type)}" ${often}/>`;
}

function attributes(members: Members): string {
  const rows = Object.entries(members).map(
    ([name, { type, isOptional }]) =>
      `<xs:attribute name="${name}" type="${typeName(type)}"${isOptional ? "" : ' use="required"'}/>`,
  );
  return rows.join("\n      ");
}

/** The types of the members that are one of some words. */
function enumerations(members: Members): string {
  return wordTypes(members)
    .map((type) => {
      const words = type.words.map((word) => `\n      <xs:enumeration value="${word}"/>`).join("");
      return `  <xs:simpleType name="${type.name}">\n    <xs:restriction base="xs:string">${words}
    </xs:restriction>\n  </xs:simpleType>`;
    })
    .join("\n");
}

function wordTypes(members: Members): Extract<MemberType, { words: unknown }>[] {
  return Object.values(members).flatMap(({ type: own }) => {
    const type = typeof own === "object" && "items" in own ? own.items : own;
    if (typeof type === "string") return [];
    if ("members" in type) return wordTypes(type.members);
    return "words" in type ? [type] : [];
  });
}

/** Describes `<check>`, `<checks>` and `<list>`. */
export const whocrawlsXsd = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:element name="check" type="verdict"/>
  <xs:element name="checks">
    <xs:complexType>
      <xs:sequence>
        <xs:element ref="check" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence>
    </xs:complexType>
  </xs:element>
  <xs:element name="list">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="item" type="item" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence>
      ${attributes(listMembers)}
    </xs:complexType>
  </xs:element>
  <xs:complexType name="verdict">
    ${elements(verdictMembers)}
  </xs:complexType>
  <xs:complexType name="item">
    ${elements({ ...verdictMembers, ...recordMembers })}
  </xs:complexType>
${enumerations({ ...verdictMembers, ...recordMembers })}
</xs:schema>
`;

/** Describes `<problem>`: RFC 9457, appendix B, with the members that are used here. */
export const problemXsd = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:ietf:rfc:7807"
    targetNamespace="urn:ietf:rfc:7807" elementFormDefault="qualified">
  <xs:element name="problem">
    <xs:complexType>
      ${elements(problemMembers).replaceAll("\n", "\n  ")}
    </xs:complexType>
  </xs:element>
</xs:schema>
`;
