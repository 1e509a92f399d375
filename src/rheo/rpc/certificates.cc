#include "rheo/rpc/certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>

#include "rheo/rpc/peer_address.h"

namespace rheo::rpc {
namespace {

template <auto Free>
struct FreeWith {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Certificate = std::unique_ptr<X509, FreeWith<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using Bio = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>>;

// The reason that OpenSSL gives last; its queue is empty afterwards.
std::string TakeError() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

Bio BioOf(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(std::max(size, 0L)));
}

// No prompt on the terminal for keys that are encrypted.
int NoPassword(char*, int, int, void*) { return 0; }

Status CheckDates(const X509& certificate) {
  if (X509_cmp_current_time(X509_get0_notBefore(&certificate)) > 0) {
    return InvalidArgument("the certificate is not valid yet");
  }
  if (X509_cmp_current_time(X509_get0_notAfter(&certificate)) < 0) {
    const Bio text(BIO_new(BIO_s_mem()));
    ASN1_TIME_print(text.get(), X509_get0_notAfter(&certificate));
    return InvalidArgument("the certificate has expired on {}", TextOf(text.get()));
  }
  return OkStatus();
}

Key NewKey() { return Key(EVP_EC_gen("P-256")); }

// Adds extension `nid` with `value`, in OpenSSL's configuration language.
bool AddExtension(X509& certificate, X509& issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(&certificate, extension.get(), -1) == 1;
}

// A certificate without extensions and signature.
Certificate NewCertificate(EVP_PKEY& key, const std::string& name, std::chrono::hours valid_for) {
  Certificate certificate(X509_new());
  uint64_t serial = 0;
  if (certificate == nullptr ||
      RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) {
    return nullptr;
  }
  X509* const x = certificate.get();
  // Clocks of machines differ a little.
  const long early = -3600;
  const long late = static_cast<long>(std::chrono::seconds(valid_for).count());
  const auto* const text = reinterpret_cast<const unsigned char*>(name.c_str());
  X509_NAME* const subject = X509_get_subject_name(x);
  const bool made = X509_set_version(x, X509_VERSION_3) == 1 &&
                    ASN1_INTEGER_set_uint64(X509_get_serialNumber(x), serial >> 1) == 1 &&
                    X509_gmtime_adj(X509_getm_notBefore(x), early) != nullptr &&
                    X509_gmtime_adj(X509_getm_notAfter(x), late) != nullptr &&
                    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 &&
                    X509_set_pubkey(x, &key) == 1;
  return made ? std::move(certificate) : nullptr;
}

std::string AlternativeNames(const std::vector<std::string>& hosts) {
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  for (const std::string& host : hosts) {
    const auto address = PeerAddress::Parse(host);
    names += address ? ",IP:" + address->ToString() : ",DNS:" + host;
  }
  return names;
}

// Names that may stand in a certificate; commas and colons would mean something else there.
Status CheckHost(const std::string& host) {
  if (PeerAddress::Parse(host)) return OkStatus();
  const bool is_name = !host.empty() && host.size() < 254 &&
                       std::all_of(host.begin(), host.end(), [](unsigned char c) {
                         return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
                       });
  if (is_name) return OkStatus();
  return InvalidArgument("'{}' is neither the name nor the address of a host", host);
}

StatusOr<std::string> NewToken() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) return Internal("no random bytes");
  std::string token;
  for (const unsigned char b : bytes) token += fmt::format("{:02x}", b);
  return token;
}

}  // namespace

Status CheckAuthorities(const std::string& ca) {
  const Bio bio = BioOf(ca);
  Status last = InvalidArgument("there is no PEM certificate in it");
  while (true) {
    const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr));
    ERR_clear_error();
    if (certificate == nullptr) return last;
    last = CheckDates(*certificate);
    if (last.ok()) return last;
  }
}

Status CheckKeyPair(const std::string& cert, const std::string& key) {
  const Bio cert_bio = BioOf(cert);
  const Certificate certificate(PEM_read_bio_X509(cert_bio.get(), nullptr, NoPassword, nullptr));
  if (certificate == nullptr) {
    return InvalidArgument("there is no PEM certificate in it: {}", TakeError());
  }
  RHEO_RETURN_IF_ERROR(CheckDates(*certificate));
  const Bio key_bio = BioOf(key);
  const Key read(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, NoPassword, nullptr));
  if (read == nullptr) {
    return InvalidArgument("its key is no unencrypted PEM private key: {}", TakeError());
  }
  if (X509_check_private_key(certificate.get(), read.get()) != 1) {
    return InvalidArgument("the key is of another certificate: {}", TakeError());
  }
  return OkStatus();
}

StatusOr<JobCredentials> MakeJobCredentials(const std::vector<std::string>& hosts,
                                            std::chrono::hours valid_for) {
  for (const std::string& host : hosts) RHEO_RETURN_IF_ERROR(CheckHost(host));
  const Key ca_key = NewKey();
  const Key key = NewKey();
  if (ca_key == nullptr || key == nullptr) return Internal("no key: {}", TakeError());
  const Certificate ca = NewCertificate(*ca_key, "Rheo job authority", valid_for);
  const Certificate cert = NewCertificate(*key, "Rheo task", valid_for);
  if (ca == nullptr || cert == nullptr) return Internal("no certificate: {}", TakeError());
  const bool is_made =
      X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get())) == 1 &&
      AddExtension(*ca, *ca, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
      AddExtension(*ca, *ca, NID_key_usage, "critical,keyCertSign") &&
      AddExtension(*ca, *ca, NID_subject_key_identifier, "hash") &&
      X509_sign(ca.get(), ca_key.get(), EVP_sha256()) > 0 &&
      X509_set_issuer_name(cert.get(), X509_get_subject_name(ca.get())) == 1 &&
      AddExtension(*cert, *ca, NID_basic_constraints, "critical,CA:FALSE") &&
      AddExtension(*cert, *ca, NID_key_usage, "critical,digitalSignature") &&
      AddExtension(*cert, *ca, NID_ext_key_usage, "serverAuth,clientAuth") &&
      AddExtension(*cert, *ca, NID_authority_key_identifier, "keyid") &&
      AddExtension(*cert, *ca, NID_subject_alt_name, AlternativeNames(hosts)) &&
      X509_sign(cert.get(), ca_key.get(), EVP_sha256()) > 0;
  if (!is_made) return Internal("no certificate: {}", TakeError());

  JobCredentials made;
  const Bio ca_text(BIO_new(BIO_s_mem()));
  const Bio cert_text(BIO_new(BIO_s_mem()));
  const Bio key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(ca_text.get(), ca.get()) != 1 ||
      PEM_write_bio_X509(cert_text.get(), cert.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return Internal("cannot write PEM: {}", TakeError());
  }
  made.ca = TextOf(ca_text.get());
  made.cert = TextOf(cert_text.get());
  made.key = TextOf(key_text.get());
  RHEO_ASSIGN_OR_RETURN(made.token, NewToken());
  return made;
}

}  // namespace rheo::rpc
