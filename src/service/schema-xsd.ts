/**
 * The XML Schemas of what xml.ts and problems.ts write. Categories and purposes come from the catalogue's own lists.
 */
import { categories, purposes } from "../catalogue/entry.ts";
import { sources } from "./schemas.ts";

/** Describes `<check>` and `<list>`. */
export const whocrawlsXsd = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:element name="check" type="verdict"/>
  <xs:element name="list">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="item" type="item" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence>
      <xs:attribute name="version" type="xs:string" use="required"/>
      <xs:attribute name="total" type="xs:nonNegativeInteger" use="required"/>
      <xs:attribute name="offset" type="xs:nonNegativeInteger" use="required"/>
      <xs:attribute name="limit" type="xs:nonNegativeInteger"/>
      <xs:attribute name="incomplete" type="xs:boolean"/>
    </xs:complexType>
  </xs:element>
  <xs:complexType name="verdict">
    <xs:sequence>
      <xs:element name="useragent" type="xs:string"/>
      <xs:element name="crawler" type="xs:boolean"/>
      <xs:element name="name" type="xs:string" minOccurs="0"/>
      <xs:element name="operator" type="xs:string" minOccurs="0"/>
      <xs:element name="operatorDerived" type="xs:boolean" minOccurs="0"/>
      <xs:element name="category" type="category" minOccurs="0"/>
      <xs:element name="purposes" minOccurs="0">
        <xs:complexType>
          <xs:sequence>
            <xs:element name="purpose" type="purpose" minOccurs="0" maxOccurs="unbounded"/>
          </xs:sequence>
        </xs:complexType>
      </xs:element>
      <xs:element name="url" type="xs:string" minOccurs="0"/>
      <xs:element name="pattern" type="xs:string" minOccurs="0"/>
      <xs:element name="match" type="xs:string" minOccurs="0"/>
    </xs:sequence>
  </xs:complexType>
  <xs:complexType name="item">
    <xs:complexContent>
      <xs:extension base="verdict">
        <xs:sequence>
          <xs:element name="source" type="source"/>
          <xs:element name="count" type="xs:positiveInteger" minOccurs="0"/>
          <xs:element name="firstSeen" type="xs:dateTime" minOccurs="0"/>
          <xs:element name="lastSeen" type="xs:dateTime" minOccurs="0"/>
          <xs:element name="cut" type="xs:boolean" minOccurs="0"/>
        </xs:sequence>
      </xs:extension>
    </xs:complexContent>
  </xs:complexType>
${enumeration("category", categories)}
${enumeration("purpose", purposes)}
${enumeration("source", sources)}
</xs:schema>
`;

/** Describes `<problem>`: RFC 9457, appendix B, with the members that are used here. */
export const problemXsd = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:ietf:rfc:7807"
    targetNamespace="urn:ietf:rfc:7807" elementFormDefault="qualified">
  <xs:element name="problem">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="type" type="xs:anyURI"/>
        <xs:element name="title" type="xs:string"/>
        <xs:element name="status" type="xs:positiveInteger"/>
        <xs:element name="detail" type="xs:string"/>
        <xs:element name="parameter" type="xs:string" minOccurs="0"/>
        <xs:element name="allowed" minOccurs="0">
          <xs:complexType>
            <xs:sequence>
              <xs:element name="i" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
            </xs:sequence>
          </xs:complexType>
        </xs:element>
      </xs:sequence>
    </xs:complexType>
  </xs:element>
</xs:schema>
`;

function enumeration(name: string, values: readonly string[]): string {
  const rows = values.map((value) => `      <xs:enumeration value="${value}"/>`).join("\n");
  return `  <xs:simpleType name="${name}">
    <xs:restriction base="xs:string">
${rows}
    </xs:restriction>
  </xs:simpleType>`;
}
